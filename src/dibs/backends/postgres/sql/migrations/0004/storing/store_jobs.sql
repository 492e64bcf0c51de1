-- Stores jobs without unique keys. A taken id is an answer, not an error: the caller's transaction stays usable.
CREATE FUNCTION {schema}.store_jobs(
    ids text[], job_types text[], tenants text[], queues text[], priorities integer[], inputs text[],
    retries integer[], run_ats timestamptz[], concurrency_keys text[], sources text[], parent_ids text[],
    delay_micros bigint, told_queues text[], max_costs bigint[],
    OUT stored_at timestamptz, OUT duplicate text
)
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
    is_laned boolean;
BEGIN
    stored_at := clock();
    BEGIN
        WITH added AS (INSERT INTO jobs (
            id, job_type, tenant, queue, priority, input, max_retries, concurrency_key, source, parent_id,
            max_cost_microcents, run_at, ready, lane, created_at
        )
        SELECT
            new.id, new.job_type, new.tenant, new.queue, new.priority, new.input::json, new.max_retries,
            new.concurrency_key, new.source, new.parent_id, coalesce(new.max_cost, 0), due.run_at,
            due.run_at <= stored_at AND due.lane IS NULL, due.lane, stored_at
        FROM unnest(
            ids, job_types, tenants, queues, priorities, inputs, retries, run_ats,
            concurrency_keys, sources, parent_ids, max_costs
        ) AS new (
            id, job_type, tenant, queue, priority, input, max_retries, run_at, concurrency_key, source, parent_id, max_cost
        )
        CROSS JOIN LATERAL (
            SELECT coalesce(stored_at + micros(delay_micros), new.run_at, stored_at) AS run_at
        ) AS asked
        CROSS JOIN LATERAL (
            SELECT asked.run_at, CASE
                WHEN asked.run_at <= stored_at AND (
                    new.source IS NOT NULL OR new.concurrency_key IS NOT NULL
                    OR ((SELECT EXISTS (SELECT FROM rules WHERE kind <> 'key')) AND EXISTS (
                        SELECT FROM rules
                        WHERE (kind = 'tenant' AND name = new.tenant) OR (kind = 'gate' AND name = 'tenant:' || new.tenant)
                            OR (kind = 'queue' AND name = new.queue)
                    ))
                ) THEN lane_of(
                    new.queue, new.job_type, new.tenant, new.source, new.concurrency_key, coalesce(new.max_cost, 0), true
                )
            END AS lane
        ) AS due
        RETURNING lane)
        SELECT bool_or(lane IS NOT NULL) INTO is_laned FROM added;
        -- After the insert: a job that is just finishing has left the one table and is in the other by now.
        IF EXISTS (SELECT FROM finished_jobs WHERE id = ANY (ids)) THEN
            RAISE unique_violation;
        ELSIF is_laned THEN
            PERFORM announce_lanes(ids);
        END IF;
    EXCEPTION WHEN unique_violation THEN
        duplicate := find_known_id(ids);
        IF duplicate IS NULL THEN
            -- It has been forgotten meanwhile: this call may be made again.
            RAISE serialization_failure;
        END IF;
    END;
    IF told_queues IS NOT NULL AND duplicate IS NULL THEN
        PERFORM tell(told_queues);
    END IF;
END
$$;
