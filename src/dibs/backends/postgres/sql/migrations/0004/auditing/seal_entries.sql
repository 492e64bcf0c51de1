-- Adds seals of one tenant right behind its last one; false when they do not fit there: somebody was quicker.
-- With the owner's rights: a program's role cannot put seals elsewhere, nor move the mark.
CREATE FUNCTION {schema}.seal_entries(its_tenant text, positions bigint[], sequences bigint[], hashes text[])
RETURNS boolean
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = {schema}, pg_temp
AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(lock_of('seal:' || its_tenant));
    IF positions[1] <> 1 + coalesce((SELECT max(position) FROM seals WHERE tenant = its_tenant), 0)
        OR EXISTS (SELECT FROM seals WHERE sequence = ANY (sequences)) THEN
        RETURN false;
    END IF;
    INSERT INTO seals (tenant, position, sequence, hash)
    SELECT its_tenant, new.* FROM unnest(positions, sequences, hashes) AS new;
    PERFORM raise_floor();
    RETURN true;
END
$$;
