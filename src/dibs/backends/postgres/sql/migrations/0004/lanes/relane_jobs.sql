-- Sends plain jobs that are governed into their lanes, and tells how many; waits for nobody.
-- Asked by their queue, their tenant or their ids: a rule has caught up with them.
CREATE FUNCTION {schema}.relane_jobs(only_queue text, only_tenant text, only_ids text[], most integer) RETURNS integer
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
SET plan_cache_mode = force_generic_plan
SET jit = off
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
    chosen text[];
BEGIN
    IF only_ids IS NOT NULL THEN
        chosen := ARRAY (
            SELECT found.id FROM unnest(only_ids) AS asked (id)
            -- OFFSET: else the question below is asked in here, and answered by walking all that is ready.
            CROSS JOIN LATERAL (
                SELECT id, ready FROM jobs WHERE id BETWEEN asked.id AND asked.id OFFSET 0 FOR UPDATE SKIP LOCKED
            ) AS found
            WHERE found.ready
        );
    ELSIF only_queue IS NOT NULL THEN
        chosen := ARRAY (SELECT id FROM jobs WHERE ready AND queue = only_queue LIMIT most FOR UPDATE SKIP LOCKED);
    ELSE
        chosen := ARRAY (SELECT id FROM jobs WHERE ready AND tenant = only_tenant LIMIT most FOR UPDATE SKIP LOCKED);
    END IF;
    IF chosen <> '{}' THEN
        UPDATE jobs
        SET (lane, ready) = (
            SELECT its_lane, its_lane IS NULL
            FROM lane_of(
                jobs.queue, jobs.job_type, jobs.tenant, jobs.source, jobs.concurrency_key, jobs.max_cost_microcents, true
            ) AS its_lane
        )
        -- By their places, which they keep while we hold them: no plan can begin with all jobs.
        FROM unnest(chosen) AS asked (id)
        CROSS JOIN LATERAL (
            SELECT ctid AS place FROM jobs AS one WHERE one.id BETWEEN asked.id AND asked.id OFFSET 0
        ) AS found
        WHERE jobs.ctid = found.place;
        PERFORM announce_lanes(chosen);
    END IF;
    RETURN cardinality(chosen);
END
$$;
