-- Takes jobs from workers that vanished; those that lapsed first first.
CREATE OR REPLACE FUNCTION {schema}.reap_jobs(wanted integer, most_deaths integer, notify boolean)
RETURNS TABLE (id text, token bigint, worker text, state text)
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
    reaped record;
    has_rules boolean := has_rules();
BEGIN
    WITH lapsed AS MATERIALIZED (
        SELECT *, CASE WHEN worker_deaths + 1 < most_deaths THEN 'pending' ELSE 'failed' END AS verdict,
            put_back_lane(jobs, NULL, has_rules) AS next_lane
        FROM jobs
        WHERE state = 'running' AND lease_expires_at <= clock()
        ORDER BY lease_expires_at, lease_token
        LIMIT wanted
        FOR UPDATE SKIP LOCKED
    ), taken AS MATERIALIZED (
        SELECT *, nextval('tokens') AS new_token FROM lapsed
    ), ended AS (
        INSERT INTO attempts (job_id, token, worker, started_at, ended_at, outcome)
        SELECT id, lease_token, locked_by, locked_at, clock(), 'lost' FROM taken
    ), again AS (
        UPDATE jobs
        SET state = 'pending', ready = jobs.run_at <= clock() AND next_lane IS NULL, lane = next_lane,
            permit = false, lease_token = new_token,
            attempts = jobs.attempts + 1, worker_deaths = jobs.worker_deaths + 1,
            locked_by = NULL, locked_at = NULL, heartbeat_at = NULL, lease_expires_at = NULL
        FROM taken
        WHERE jobs.id BETWEEN taken.id AND taken.id AND verdict = 'pending'
    ), gone AS (
        DELETE FROM jobs USING taken WHERE jobs.id BETWEEN taken.id AND taken.id AND verdict = 'failed'
    ), kept AS (
        INSERT INTO finished_jobs (
            seq, run_at, created_at, lease_token, cost_microcents, started_at, locked_at, heartbeat_at, finished_at,
            priority, max_retries, attempts, worker_deaths, state, id, tenant, queue, job_type, locked_by,
            unique_key, concurrency_key, source, parent_id, max_cost_microcents, input, output, error, progress
        )
        SELECT
            seq, run_at, created_at, new_token, cost_microcents, started_at, locked_at, heartbeat_at, clock(),
            priority, max_retries, attempts + 1, worker_deaths + 1, 'failed', id, tenant, queue, job_type, locked_by,
            unique_key, concurrency_key, source, parent_id, max_cost_microcents, input, NULL, quarantine_error(worker_deaths + 1), progress
        FROM taken WHERE verdict = 'failed'
    ), noted AS (
        INSERT INTO audit (at, token, tenant, actor, action, subject, detail)
        SELECT clock(), new_token, tenant, 'dibs:reaper',
            CASE verdict WHEN 'pending' THEN 'JOB_RECLAIMED' ELSE 'JOB_QUARANTINED' END, 'job:' || id,
            json_build_object('locked_by', locked_by)
        FROM taken
    )
    SELECT array_agg(id) AS ids, array_agg(lease_token) AS tokens, array_agg(locked_by) AS workers,
        array_agg(verdict) AS verdicts, array_agg(DISTINCT queue) AS queues, array_agg(tenant) AS tenants,
        array_agg(concurrency_key) AS keys, array_agg(source) AS sources
    INTO reaped FROM taken;
    PERFORM settle_ends(reaped.ids, reaped.tenants, reaped.keys, reaped.sources, NULL);
    PERFORM tidy_up();
    IF notify AND reaped.ids IS NOT NULL THEN
        PERFORM tell(reaped.queues);
    END IF;
    RETURN QUERY SELECT * FROM unnest(reaped.ids, reaped.tokens, reaped.workers, reaped.verdicts);
END
$$;
