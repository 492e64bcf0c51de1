-- Moves failed and cancelled jobs back to pending. Its caller holds the locks of their rows and unique keys.
CREATE OR REPLACE FUNCTION {schema}.revive_jobs(ids text[], places bigint[], act_actor text, act_reason text, notify boolean)
RETURNS TABLE (place integer, verdict text)
LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
    judged record;
    has_rules boolean := has_rules();
BEGIN
    WITH held AS MATERIALIZED (
        SELECT finished_jobs.*, asked.place, state IN ('failed', 'cancelled') AS is_revivable
        FROM unnest(ids, places) AS asked (id, place)
        JOIN finished_jobs ON finished_jobs.id BETWEEN asked.id AND asked.id
    ), judged AS MATERIALIZED (
        SELECT *, CASE
            WHEN NOT is_revivable THEN 'not_revivable'
            WHEN unique_key IS NULL THEN 'retried'
            -- The first of those with the same key takes it.
            WHEN row_number() OVER (PARTITION BY is_revivable, unique_key, tenant, job_type ORDER BY place) > 1
                OR find_rival(tenant, job_type, unique_key, 'unfinished', NULL) IS NOT NULL THEN 'key_taken'
            ELSE 'retried'
        END AS verdict
        FROM held
    ), revived AS MATERIALIZED (
        SELECT *, nextval('tokens') AS new_token
        FROM (SELECT * FROM judged WHERE verdict = 'retried' ORDER BY place OFFSET 0) AS chosen
    ), gone AS (
        DELETE FROM finished_jobs USING revived WHERE finished_jobs.id BETWEEN revived.id AND revived.id
    ), again AS (
        INSERT INTO jobs (
            seq, run_at, created_at, lease_token, cost_microcents, priority, max_retries, ready, lane, id, tenant, queue,
            job_type, unique_key, concurrency_key, source, parent_id, max_cost_microcents, input
        )
        SELECT
            seq, clock(), created_at, new_token, cost_microcents, priority, max_retries, next.lane IS NULL, next.lane, id,
            tenant, queue,
            job_type, unique_key, concurrency_key, source, parent_id, max_cost_microcents, input
        FROM revived CROSS JOIN LATERAL (
            SELECT lane_of(queue, job_type, tenant, source, concurrency_key, max_cost_microcents, has_rules) AS lane
        ) AS next
    ), noted AS (
        INSERT INTO audit (at, token, tenant, actor, action, subject, reason, detail)
        SELECT clock(), new_token, tenant, act_actor, 'JOB_RETRIED', 'job:' || id, act_reason,
            json_build_object('before', state)
        FROM revived
        ORDER BY place
    )
    SELECT array_agg(place::integer) AS places, array_agg(verdict) AS verdicts,
        (SELECT array_agg(DISTINCT queue) FROM revived) AS queues, array_agg(id) AS ids
    INTO judged FROM judged;
    PERFORM announce_lanes(judged.ids);
    IF notify AND judged.queues IS NOT NULL THEN
        PERFORM tell(judged.queues);
    END IF;
    RETURN QUERY SELECT * FROM unnest(judged.places, judged.verdicts);
END
$$;
