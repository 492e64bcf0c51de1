-- For plain SQL: SELECT * FROM claim_next_pending_job(). Reclaims jobs of vanished workers first.
-- The caller's transaction may stay open for long. What others must not wait for is let go before this returns: a gate
-- can be shut at once. Jobs that count against a limit are given to nobody else until it ends, plain ones are.
CREATE OR REPLACE FUNCTION {schema}.claim_next_pending_job(
    job_types text[] DEFAULT NULL, worker text DEFAULT 'sql:' || pg_backend_pid(),
    queues text[] DEFAULT NULL, tenant text DEFAULT NULL, lease interval DEFAULT '300 seconds'
) RETURNS SETOF {schema}.jobs
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
BEGIN
    PERFORM set_config('dibs.is_caller', 'on', true);
    -- A tenant's first rule counts what runs: it waits for those who claimed before it, and have not committed.
    PERFORM pg_advisory_xact_lock_shared(lock_of('callers'));
    PERFORM reap_jobs(100, 3, true);
    PERFORM pg_advisory_lock_shared(lock_of('rules'));
    BEGIN
        RETURN QUERY SELECT * FROM claim_due_jobs(
            worker, 1, (extract(epoch FROM lease) * 1000000)::bigint, queues, job_types, tenant, true
        );
    EXCEPTION WHEN query_canceled OR OTHERS THEN
        PERFORM pg_advisory_unlock_shared(lock_of('rules'));
        RAISE;
    END;
    PERFORM pg_advisory_unlock_shared(lock_of('rules'));
    PERFORM set_config('dibs.is_caller', '', true);
END
$$;

-- Whether this is a statement of somebody whose transaction may stay open.
CREATE FUNCTION {schema}.is_caller() RETURNS boolean
LANGUAGE sql STABLE
AS $$ SELECT coalesce(current_setting('dibs.is_caller', true), '') = 'on' $$;
