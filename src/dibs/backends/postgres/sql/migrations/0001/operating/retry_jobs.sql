-- An operator's retry, one job after the other in the order asked.
CREATE FUNCTION {schema}.retry_jobs(ids text[], act_actor text, act_reason text, notify boolean)
RETURNS TABLE (place integer, verdict text)
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
    seen record;
    locked text[];
BEGIN
    -- Locks come in one order for all: first the keys, then the rows by id, and none that we see only later.
    SELECT array_agg(id) AS ids, array_agg(tenant) AS tenants, array_agg(job_type) AS types, array_agg(unique_key) AS keys
    INTO seen FROM finished_jobs WHERE id = ANY (ids);
    PERFORM lock_keys(seen.tenants, seen.types, seen.keys);
    locked := ARRAY (SELECT id FROM finished_jobs WHERE id = ANY (seen.ids) ORDER BY id FOR UPDATE);
    FOR number IN 1 .. cardinality(ids) LOOP
        place := number;
        verdict := CASE
            WHEN ids[number] = ANY (locked) THEN revive_job(ids[number], act_actor, act_reason, notify)
            WHEN find_known_id(ids[number : number]) IS NOT NULL THEN 'not_revivable'
            ELSE 'missing'
        END;
        RETURN NEXT;
    END LOOP;
END
$$;
