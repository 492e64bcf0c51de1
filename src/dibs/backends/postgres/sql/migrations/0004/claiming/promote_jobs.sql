-- Lets jobs whose time has come wait in their lanes, a thousand at the most; NULL means of any lane, of any tenant.
CREATE OR REPLACE FUNCTION {schema}.promote_jobs(
    patient boolean, notify boolean, queues text[], job_types text[], only_tenant text
) RETURNS void
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
    door bigint := hashtextextended('promote:' || current_schema(), 0);
    has_rules boolean := has_rules();
    told record;
BEGIN
    IF patient THEN
        PERFORM pg_advisory_xact_lock(door);
    ELSIF NOT pg_try_advisory_xact_lock(door) THEN
        RETURN;
    END IF;
    WITH due AS MATERIALIZED (
        SELECT id, CASE
            WHEN source IS NOT NULL OR concurrency_key IS NOT NULL OR has_rules
            THEN lane_of(queue, job_type, tenant, source, concurrency_key, max_cost_microcents, has_rules)
        END AS lane
        FROM jobs
        WHERE run_at <= clock() AND (
                (NOT ready AND lane IS NULL AND state IN ('pending', 'retryable'))
                OR (ready AND (source IS NOT NULL OR concurrency_key IS NOT NULL))
            )
            AND (queues IS NULL OR queue = ANY (queues)) AND (job_types IS NULL OR job_type = ANY (job_types))
            AND (only_tenant IS NULL OR tenant = only_tenant)
        ORDER BY run_at
        LIMIT 1000
        FOR UPDATE SKIP LOCKED
    ), promoted AS (
        UPDATE jobs SET ready = due.lane IS NULL, lane = due.lane
        FROM due WHERE jobs.id BETWEEN due.id AND due.id
        RETURNING jobs.queue, jobs.lane, jobs.id
    )
    SELECT array_agg(DISTINCT queue) AS queues, array_agg(id) FILTER (WHERE lane IS NOT NULL) AS governed
    INTO told FROM promoted;
    IF told.governed IS NOT NULL THEN
        PERFORM announce_lanes(told.governed);
    END IF;
    IF notify AND told.queues IS NOT NULL THEN
        PERFORM tell(told.queues);
    END IF;
END
$$;
