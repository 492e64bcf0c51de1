-- Moves running jobs to retryable or failed; after a crash, to pending or failed.
CREATE OR REPLACE FUNCTION {schema}.fail_jobs(
    ids text[], tokens bigint[], errors text[], kinds text[], pauses bigint[], costs bigint[],
    most_deaths integer[], notify boolean
) RETURNS TABLE (place integer, verdict text)
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
SET plan_cache_mode = force_generic_plan
SET jit = off
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
    -- No literal, and BETWEEN below: else a plan made on an empty table would walk an index of all jobs.
    held_state CONSTANT text := 'running';
    has_rules boolean := has_rules();
    ended record;
BEGIN
    WITH held AS MATERIALIZED (
        SELECT
            jobs.*, asked.error::json AS new_error, asked.cost, asked.place,
            clock() + micros(asked.pause) AS next_at, asked.error::json ->> 'type' AS reason,
            (kind = 'crash')::integer AS death, judged.state AS verdict, judged.action,
            put_back_lane(jobs, asked.pause, has_rules) AS next_lane
        FROM (
            SELECT * FROM unnest(ids, tokens, errors, kinds, pauses, costs, most_deaths) WITH ORDINALITY
                AS asked (id, token, error, kind, pause, cost, deaths, place)
            -- By id, as everybody locks rows, so that two batches never wait for each other.
            ORDER BY id COLLATE "C" OFFSET 0
        ) AS asked
        JOIN jobs ON jobs.id BETWEEN asked.id AND asked.id AND jobs.lease_token = asked.token AND jobs.state = held_state
        CROSS JOIN LATERAL judge_failure(jobs, asked.kind, asked.deaths) AS judged
        FOR UPDATE OF jobs
    ), ended AS (
        INSERT INTO attempts (job_id, token, worker, started_at, ended_at, outcome, error)
        SELECT id, lease_token, locked_by, locked_at, clock(),
            CASE death WHEN 1 THEN 'crashed' ELSE 'errored' END, new_error
        FROM held
    ), again AS (
        UPDATE jobs
        SET state = held.verdict, run_at = next_at, ready = next_at <= clock() AND next_lane IS NULL, lane = next_lane,
            permit = false, error = new_error,
            cost_microcents = held.cost_microcents + cost, attempts = held.attempts + 1,
            worker_deaths = held.worker_deaths + death,
            locked_by = NULL, locked_at = NULL, heartbeat_at = NULL, lease_expires_at = NULL
        FROM held
        WHERE jobs.id BETWEEN held.id AND held.id AND held.verdict <> 'failed'
    ), gone AS (
        DELETE FROM jobs USING held WHERE jobs.id BETWEEN held.id AND held.id AND held.verdict = 'failed'
    ), kept AS (
        INSERT INTO finished_jobs (
            seq, run_at, created_at, lease_token, cost_microcents, started_at, locked_at, heartbeat_at, finished_at,
            priority, max_retries, attempts, worker_deaths, state, id, tenant, queue, job_type, locked_by,
            unique_key, concurrency_key, source, parent_id, max_cost_microcents, input, output, error, progress
        )
        SELECT
            seq, run_at, created_at, lease_token, cost_microcents + cost, started_at, locked_at, heartbeat_at, clock(),
            priority, max_retries, attempts + 1, worker_deaths + death, 'failed', id, tenant, queue, job_type, locked_by,
            unique_key, concurrency_key, source, parent_id, max_cost_microcents, input, NULL, new_error, progress
        FROM held WHERE verdict = 'failed'
    ), noted AS (
        INSERT INTO audit (at, token, tenant, actor, action, subject, reason)
        SELECT clock(), lease_token, tenant, locked_by, action, 'job:' || id, reason FROM held WHERE verdict = 'failed'
        ORDER BY place
    )
    SELECT array_agg(place::integer) AS places, array_agg(verdict) AS verdicts, array_agg(held.id) AS ids,
        array_agg(tenant) AS tenants, array_agg(concurrency_key) AS keys, array_agg(source) AS sources,
        array_agg(cost) AS costs,
        array_agg(DISTINCT queue) FILTER (WHERE verdict <> 'failed' AND next_at <= clock()) AS queues
    INTO ended FROM held;
    PERFORM settle_ends(ended.ids, ended.tenants, ended.keys, ended.sources, ended.costs);
    IF notify AND ended.queues IS NOT NULL THEN
        PERFORM tell(ended.queues);
    END IF;
    RETURN QUERY SELECT * FROM unnest(ended.places, ended.verdicts);
END
$$;
