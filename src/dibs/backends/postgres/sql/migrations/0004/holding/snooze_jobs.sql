-- Moves running jobs back to pending, at no cost.
CREATE OR REPLACE FUNCTION {schema}.snooze_jobs(
    ids text[], tokens bigint[], pauses bigint[], outcomes text[], costs bigint[], notify boolean
) RETURNS SETOF integer
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
            jobs.*, outcome, cost, place, clock() + micros(pause) AS next_at,
            put_back_lane(jobs, pause, has_rules) AS next_lane
        FROM (
            SELECT * FROM unnest(ids, tokens, pauses, outcomes, costs) WITH ORDINALITY
                AS asked (id, token, pause, outcome, cost, place)
            -- By id, as everybody locks rows, so that two batches never wait for each other.
            ORDER BY id COLLATE "C" OFFSET 0
        ) AS asked
        JOIN jobs ON jobs.id BETWEEN asked.id AND asked.id AND jobs.lease_token = asked.token AND jobs.state = held_state
        FOR UPDATE OF jobs
    ), ended AS (
        INSERT INTO attempts (job_id, token, worker, started_at, ended_at, outcome)
        SELECT id, lease_token, locked_by, locked_at, clock(), outcome FROM held
    ), again AS (
        UPDATE jobs
        SET state = 'pending', run_at = next_at, ready = next_at <= clock() AND next_lane IS NULL, lane = next_lane,
            permit = false, cost_microcents = jobs.cost_microcents + cost,
            locked_by = NULL, locked_at = NULL, heartbeat_at = NULL, lease_expires_at = NULL
        FROM held
        WHERE jobs.id BETWEEN held.id AND held.id
    )
    SELECT array_agg(place::integer) AS places, array_agg(held.id) AS ids, array_agg(tenant) AS tenants,
        array_agg(concurrency_key) AS keys, array_agg(source) AS sources, array_agg(cost) AS costs,
        array_agg(DISTINCT queue) FILTER (WHERE next_at <= clock()) AS queues
    INTO ended FROM held;
    PERFORM settle_ends(ended.ids, ended.tenants, ended.keys, ended.sources, ended.costs);
    IF notify AND ended.queues IS NOT NULL THEN
        PERFORM tell(ended.queues);
    END IF;
    RETURN QUERY SELECT unnest(ended.places);
END
$$;
