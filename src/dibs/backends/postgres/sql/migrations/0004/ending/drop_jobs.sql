-- Moves running jobs to cancelled because their holder says so.
CREATE OR REPLACE FUNCTION {schema}.drop_jobs(ids text[], tokens bigint[], reasons text[], costs bigint[])
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
    done record;
BEGIN
    WITH moved AS MATERIALIZED (
        DELETE FROM jobs
        USING (
            SELECT * FROM unnest(ids, tokens, reasons, costs) WITH ORDINALITY AS asked (id, token, reason, cost, place)
            -- By id, as everybody locks rows, so that two batches never wait for each other.
            ORDER BY id COLLATE "C" OFFSET 0
        ) AS asked
        WHERE jobs.id BETWEEN asked.id AND asked.id AND jobs.lease_token = asked.token AND jobs.state = held_state
        RETURNING jobs.*, asked.reason, asked.cost, asked.place
    ), ended AS (
        INSERT INTO attempts (job_id, token, worker, started_at, ended_at, outcome)
        SELECT id, lease_token, locked_by, locked_at, clock(), 'cancelled' FROM moved
    ), kept AS (
        INSERT INTO finished_jobs (
            seq, run_at, created_at, lease_token, cost_microcents, started_at, locked_at, heartbeat_at, finished_at,
            priority, max_retries, attempts, worker_deaths, state, id, tenant, queue, job_type, locked_by,
            unique_key, concurrency_key, source, parent_id, max_cost_microcents, input, output, error, progress
        )
        SELECT
            seq, run_at, created_at, lease_token, cost_microcents + cost, started_at, locked_at, heartbeat_at, clock(),
            priority, max_retries, attempts, worker_deaths, 'cancelled', id, tenant, queue, job_type, locked_by,
            unique_key, concurrency_key, source, parent_id, max_cost_microcents, input, NULL, error, progress
        FROM moved
    ), noted AS (
        INSERT INTO audit (at, token, tenant, actor, action, subject, reason)
        SELECT clock(), lease_token, tenant, locked_by, 'JOB_DROPPED', 'job:' || id, reason FROM moved
        ORDER BY place
    )
    SELECT array_agg(place::integer) AS places, array_agg(id) AS ids, array_agg(tenant) AS tenants,
        array_agg(concurrency_key) AS keys, array_agg(source) AS sources, array_agg(cost) AS costs,
        bool_or(source IS NOT NULL OR concurrency_key IS NOT NULL OR cost > 0)
            OR EXISTS (SELECT FROM arrivals WHERE id > 0) AS is_governed
    INTO done FROM moved;
    IF done.is_governed THEN
        PERFORM settle_ends(done.ids, done.tenants, done.keys, done.sources, done.costs);
    END IF;
    RETURN QUERY SELECT unnest(done.places);
END
$$;
