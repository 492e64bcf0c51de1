-- Claims due jobs: those whose time has come are let into their lanes first.
CREATE OR REPLACE FUNCTION {schema}.claim_due_jobs(
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
    seen record;
BEGIN
    SELECT EXISTS (
            SELECT FROM jobs
            WHERE run_at <= clock() AND (
                (NOT ready AND lane IS NULL AND state IN ('pending', 'retryable'))
                OR (ready AND (source IS NOT NULL OR concurrency_key IS NOT NULL))
            )
        ) AS has_due,
        EXISTS (SELECT FROM arrivals WHERE id > 0) AS has_news
    INTO seen;
    IF NOT seen.has_due AND (NOT seen.has_news OR NOT (has_rules() OR has_governed(queues, job_types))) THEN
        -- Nothing is governed, or nothing of it could be given now: the short way.
        RETURN QUERY SELECT * FROM give_plain_jobs(worker, wanted, lease_micros, queues, job_types, only_tenant);
        RETURN;
    END IF;
    IF seen.has_due THEN
        PERFORM promote_jobs(false, notify, NULL, NULL, NULL);
    END IF;
    RETURN QUERY SELECT * FROM give_jobs(worker, wanted, lease_micros, queues, job_types, only_tenant);
    IF NOT FOUND AND seen.has_due THEN
        -- What we came for may stand behind a thousand others, or in the hands of somebody who promotes: then wait.
        PERFORM promote_jobs(true, notify, queues, job_types, only_tenant);
        RETURN QUERY SELECT * FROM give_jobs(worker, wanted, lease_micros, queues, job_types, only_tenant);
    END IF;
END
$$;
