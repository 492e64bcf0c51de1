-- Moves running jobs to succeeded, and tells the places of those whose lease held.
CREATE FUNCTION {schema}.complete_jobs(ids text[], tokens bigint[], outputs text[], costs bigint[])
RETURNS SETOF integer
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
BEGIN
    RETURN QUERY
    WITH moved AS (
        DELETE FROM jobs
        USING (
            SELECT id, token, output, coalesce(cost, 0) AS cost, place
            FROM unnest(ids, tokens, outputs, costs) WITH ORDINALITY AS asked (id, token, output, cost, place)
            -- By id, as everybody locks rows, so that two batches never wait for each other.
            ORDER BY id COLLATE "C" OFFSET 0
        ) AS asked
        WHERE jobs.id BETWEEN asked.id AND asked.id AND jobs.lease_token = asked.token AND jobs.state = held_state
        RETURNING jobs.*, asked.output, asked.cost, asked.place
    ), kept AS (
        INSERT INTO finished_jobs (
            seq, run_at, created_at, lease_token, cost_microcents, started_at, locked_at, heartbeat_at, finished_at,
            priority, max_retries, attempts, worker_deaths, state, id, tenant, queue, job_type, locked_by,
            unique_key, concurrency_key, source, parent_id, input, output, error, progress
        )
        SELECT
            seq, run_at, created_at, lease_token, cost_microcents + cost, started_at, locked_at, heartbeat_at, clock(),
            priority, max_retries, attempts, worker_deaths, 'succeeded', id, tenant, queue, job_type, locked_by,
            unique_key, concurrency_key, source, parent_id, input, output::json, NULL, progress
        FROM moved
    ), noted AS (
        INSERT INTO audit (at, token, tenant, actor, action, subject)
        SELECT clock(), lease_token, tenant, locked_by, 'JOB_SUCCEEDED', 'job:' || id FROM moved
        ORDER BY place
    )
    SELECT place::integer FROM moved;
END
$$;
