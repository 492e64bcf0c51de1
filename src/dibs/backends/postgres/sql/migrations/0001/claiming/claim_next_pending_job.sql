-- For plain SQL: SELECT * FROM claim_next_pending_job(). Reclaims jobs of vanished workers first.
CREATE FUNCTION {schema}.claim_next_pending_job(
    job_types text[] DEFAULT NULL, worker text DEFAULT 'sql:' || pg_backend_pid(),
    queues text[] DEFAULT NULL, tenant text DEFAULT NULL, lease interval DEFAULT '300 seconds'
) RETURNS SETOF {schema}.jobs
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
BEGIN
    PERFORM reap_jobs(100, 3, true);
    RETURN QUERY SELECT * FROM claim_jobs(
        worker, 1, (extract(epoch FROM lease) * 1000000)::bigint, queues, job_types, tenant, true
    );
END
$$;
