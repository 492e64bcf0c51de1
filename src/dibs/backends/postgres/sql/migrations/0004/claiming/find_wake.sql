-- After how many microseconds a claim may bring something by the passing of time alone; NULL: nobody knows.
CREATE FUNCTION {schema}.find_wake(queues text[], job_types text[], only_tenant text) RETURNS bigint
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
    has_rules boolean;
    plain record;
    wake timestamptz;
BEGIN
    PERFORM pg_advisory_xact_lock_shared(lock_of('rules'));
    PERFORM promote_jobs(false, false, queues, job_types, only_tenant);
    has_rules := has_rules();
    IF NOT enter_door() THEN
        RETURN 1000000;
    END IF;
    plain := prepare_claim(queues, job_types, only_tenant, 1);
    IF cardinality(plain.ids) > 0 OR has_admissible(queues, job_types, only_tenant) THEN
        RETURN 0;
    END IF;
    SELECT least(
        (
            SELECT min(run_at) FROM jobs
            WHERE run_at > clock() AND (
                    (NOT ready AND lane IS NULL AND state IN ('pending', 'retryable'))
                    OR (ready AND (source IS NOT NULL OR concurrency_key IS NOT NULL))
                )
                AND (queues IS NULL OR queue = ANY (queues)) AND (job_types IS NULL OR job_type = ANY (job_types))
                AND (only_tenant IS NULL OR tenant = only_tenant)
        ),
        (
            SELECT min(gate.until)
            FROM find_lanes(queues, job_types) AS found
            CROSS JOIN LATERAL unnest(found.lane_queues, found.lane_types) AS lane (queue, job_type)
            CROSS JOIN LATERAL find_gate(lane.queue, lane.job_type, NULL, NULL) AS gate
            WHERE has_rules AND EXISTS (
                SELECT FROM jobs
                WHERE jobs.ready AND jobs.queue = lane.queue AND jobs.job_type = lane.job_type
                    AND (only_tenant IS NULL OR jobs.tenant = only_tenant)
            )
        ),
        (
            SELECT min(barriers.until) FROM barriers
            WHERE is_known AND (queues IS NULL OR queue = ANY (queues))
                AND (job_types IS NULL OR job_type = ANY (job_types)) AND EXISTS (
                    SELECT FROM lanes
                    WHERE lanes.queue = barriers.queue AND lanes.job_type = barriers.job_type
                        AND lanes.barrier = barriers.barrier AND (only_tenant IS NULL OR lanes.tenant = only_tenant)
                )
        )
    ) INTO wake;
    RETURN CASE WHEN wake < 'infinity' THEN greatest((extract(epoch FROM wake - clock()) * 1000000)::bigint, 0) END;
END
$$;
