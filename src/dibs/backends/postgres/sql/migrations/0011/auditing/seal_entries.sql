-- Adds seals of one tenant, as one run, right behind its last one; false when they do not fit there: somebody was quicker.
-- With the owner's rights: a program's role cannot put seals elsewhere, nor move the mark.
CREATE OR REPLACE FUNCTION {schema}.seal_entries(its_tenant text, positions bigint[], sequences bigint[], hashes text[])
RETURNS boolean
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = {schema}, pg_temp
AS $$
DECLARE
    many CONSTANT integer := cardinality(positions);
    floor CONSTANT bigint := (SELECT seal_marks.floor FROM seal_marks);
BEGIN
    PERFORM pg_advisory_xact_lock(lock_of('seal:' || its_tenant));
    IF positions[1] <> 1 + coalesce((SELECT max(position) FROM seals WHERE tenant = its_tenant), 0)
        OR positions[many] <> positions[1] + many - 1
        OR sequences <> ARRAY (SELECT DISTINCT new.sequence FROM unnest(sequences) AS new (sequence) ORDER BY 1)
        OR sequences[1] <= floor
        OR EXISTS (SELECT FROM unnest(sequences) AS new (sequence) WHERE new.sequence IN (SELECT sealed_above(floor))) THEN
        RETURN false;
    END IF;
    INSERT INTO seals (tenant, position, sequence, hash, earlier_sequences, earlier_hashes)
    SELECT its_tenant, positions[many], sequences[many], hashes[many],
        nullif(trim_array(sequences, 1), '{}'), nullif(trim_array(hashes, 1), '{}');
    PERFORM raise_floor();
    RETURN true;
END
$$;
