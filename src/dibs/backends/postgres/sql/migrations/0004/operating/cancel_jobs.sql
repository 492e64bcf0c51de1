-- Moves unfinished jobs to cancelled. The token grows, so that a holder's later writes are refused.
CREATE OR REPLACE FUNCTION {schema}.cancel_jobs(ids text[], act_actor text, act_reason text)
RETURNS TABLE (place integer, verdict text)
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
    moved record;
BEGIN
    WITH moved AS MATERIALIZED (
        DELETE FROM jobs
        USING (
            SELECT * FROM unnest(ids) WITH ORDINALITY AS asked (id, place)
            -- By id, as everybody locks rows, so that two batches never wait for each other.
            ORDER BY id COLLATE "C" OFFSET 0
        ) AS asked
        WHERE jobs.id BETWEEN asked.id AND asked.id
        RETURNING jobs.*, asked.place
    ), numbered AS MATERIALIZED (
        SELECT *, nextval('tokens') AS new_token FROM (SELECT * FROM moved ORDER BY place OFFSET 0) AS moved
    ), left_lanes AS (
        INSERT INTO arrivals (lane, queue, job_type, tenant, source, concurrency_key, max_cost, priority, seq)
        SELECT DISTINCT lane, queue, job_type, tenant, source, concurrency_key, max_cost_microcents,
            -2147483648, 9223372036854775807
        FROM moved WHERE lane IS NOT NULL
    ), ended AS (
        INSERT INTO attempts (job_id, token, worker, started_at, ended_at, outcome)
        SELECT id, lease_token, locked_by, locked_at, clock(), 'cancelled' FROM numbered WHERE state = 'running'
    ), kept AS (
        INSERT INTO finished_jobs (
            seq, run_at, created_at, lease_token, cost_microcents, started_at, locked_at, heartbeat_at, finished_at,
            priority, max_retries, attempts, worker_deaths, state, id, tenant, queue, job_type, locked_by,
            unique_key, concurrency_key, source, parent_id, max_cost_microcents, input, output, error, progress
        )
        SELECT
            seq, run_at, created_at, new_token, cost_microcents, started_at, locked_at, heartbeat_at, clock(),
            priority, max_retries, attempts, worker_deaths, 'cancelled', id, tenant, queue, job_type, locked_by,
            unique_key, concurrency_key, source, parent_id, max_cost_microcents, input, NULL, error, progress
        FROM numbered
    ), noted AS (
        INSERT INTO audit (at, token, tenant, actor, action, subject, reason, detail)
        SELECT clock(), new_token, tenant, act_actor, 'JOB_CANCELLED', 'job:' || id, act_reason,
            json_build_object('before', state, 'after', 'cancelled')
        FROM numbered
        ORDER BY place
    )
    SELECT array_agg(id) AS ids, array_agg(place) AS places,
        array_agg(tenant) FILTER (WHERE state = 'running') AS tenants,
        array_agg(concurrency_key) FILTER (WHERE state = 'running') AS keys,
        array_agg(source) FILTER (WHERE state = 'running') AS sources,
        array_agg(id) FILTER (WHERE state = 'running') AS stopped
    INTO moved FROM numbered;
    PERFORM settle_ends(moved.stopped, moved.tenants, moved.keys, moved.sources, NULL);
    RETURN QUERY SELECT unnest(moved.places)::integer, 'cancelled';
    RETURN QUERY
    SELECT rest.place::integer, CASE
        WHEN EXISTS (SELECT FROM finished_jobs WHERE finished_jobs.id = rest.id) THEN 'already_final'
        ELSE 'missing'
    END
    FROM (
        SELECT * FROM unnest(ids) WITH ORDINALITY AS asked (id, place)
        EXCEPT SELECT * FROM unnest(moved.ids, moved.places)
    ) AS rest;
END
$$;
