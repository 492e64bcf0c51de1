-- Forgets a tenant's entries up to a position, and the seals before it; the seal there stays as the anchor.
CREATE OR REPLACE FUNCTION {schema}.forget_sealed(its_tenant text, through bigint) RETURNS bigint
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
DECLARE
    forgotten bigint;
    -- The run in which the anchor stands, and its place there; behind the earlier ones if it is the last.
    anchored CONSTANT bigint := (SELECT min(position) FROM seals WHERE tenant = its_tenant AND position >= through);
    place integer;
BEGIN
    SELECT cardinality(array_append(earlier_sequences, sequence)) - (anchored - through)::integer INTO place
    FROM seals WHERE tenant = its_tenant AND position = anchored;
    PERFORM set_config('dibs.forgetting', current_schema(), true);
    DELETE FROM audit USING (
        SELECT unnest(CASE
            WHEN position = anchored THEN (array_append(earlier_sequences, sequence))[:place]
            ELSE array_append(earlier_sequences, sequence)
        END) AS sequence
        FROM seals
        WHERE tenant = its_tenant AND position <= coalesce(anchored, through)
    ) AS sealed
    WHERE audit.sequence = sealed.sequence;
    GET DIAGNOSTICS forgotten = ROW_COUNT;
    DELETE FROM seals WHERE tenant = its_tenant AND position < through;
    UPDATE seals
    SET earlier_sequences = nullif(earlier_sequences[place:], '{}'), earlier_hashes = nullif(earlier_hashes[place:], '{}')
    WHERE tenant = its_tenant AND position = anchored AND place > 1;
    PERFORM set_config('dibs.forgetting', '', true);
    RETURN forgotten;
END
$$;
