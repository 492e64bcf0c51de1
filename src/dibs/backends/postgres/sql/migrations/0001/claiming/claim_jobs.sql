-- Claims due jobs: those whose time has come are let into their lanes first.
CREATE FUNCTION {schema}.claim_jobs(
    worker text, wanted integer, lease_micros bigint,
    queues text[], job_types text[], only_tenant text, notify boolean
) RETURNS SETOF {schema}.jobs
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
    has_due boolean := EXISTS (
        SELECT FROM jobs WHERE NOT ready AND state IN ('pending', 'retryable') AND run_at <= clock()
    );
    is_promoted boolean := false;
BEGIN
    IF has_due THEN
        is_promoted := promote_jobs(false, notify);
    END IF;
    RETURN QUERY SELECT * FROM take_jobs(worker, wanted, lease_micros, queues, job_types, only_tenant);
    IF NOT FOUND AND has_due AND NOT is_promoted THEN
        -- The one who promotes holds what we came for: wait until it lets go.
        PERFORM promote_jobs(true, notify);
        RETURN QUERY SELECT * FROM take_jobs(worker, wanted, lease_micros, queues, job_types, only_tenant);
    END IF;
END
$$;
