-- Sends plain jobs that are governed into their lanes, and tells how many; waits for nobody.
-- Asked by their queue, their tenant or their ids: a rule has caught up with them.
CREATE FUNCTION {schema}.relane_jobs(only_queue text, only_tenant text, only_ids text[], most integer) RETURNS integer
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
SET enable_bitmapscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
    chosen text[];
BEGIN
    IF only_ids IS NOT NULL THEN
        chosen := ARRAY (SELECT id FROM jobs WHERE id = ANY (only_ids) AND ready FOR UPDATE SKIP LOCKED);
    ELSIF only_queue IS NOT NULL THEN
        chosen := ARRAY (SELECT id FROM jobs WHERE ready AND queue = only_queue LIMIT most FOR UPDATE SKIP LOCKED);
    ELSE
        chosen := ARRAY (SELECT id FROM jobs WHERE ready AND tenant = only_tenant LIMIT most FOR UPDATE SKIP LOCKED);
    END IF;
    IF chosen <> '{}' THEN
        UPDATE jobs
        SET lane = lane_of(queue, job_type, tenant, source, concurrency_key, true),
            ready = lane_of(queue, job_type, tenant, source, concurrency_key, true) IS NULL
        WHERE id = ANY (chosen);
        PERFORM announce_lanes(chosen);
    END IF;
    RETURN cardinality(chosen);
END
$$;
