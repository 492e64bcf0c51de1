-- Moves one failed or cancelled job back to pending. Its caller holds the locks of its row and its unique key.
CREATE FUNCTION {schema}.revive_job(job_id text, act_actor text, act_reason text, notify boolean) RETURNS text
LANGUAGE plpgsql
AS $$
DECLARE
    job {schema}.finished_jobs;
    new_token bigint;
BEGIN
    SELECT * INTO job FROM finished_jobs WHERE id = job_id;
    IF job.state NOT IN ('failed', 'cancelled') THEN
        RETURN 'not_revivable';
    ELSIF find_rival(job.tenant, job.job_type, job.unique_key, 'unfinished', NULL) IS NOT NULL THEN
        RETURN 'key_taken';
    END IF;
    new_token := nextval('tokens');
    DELETE FROM finished_jobs WHERE id = job_id;
    INSERT INTO jobs (
        seq, run_at, created_at, lease_token, cost_microcents, priority, max_retries, ready, id, tenant, queue,
        job_type, unique_key, concurrency_key, source, parent_id, input
    ) VALUES (
        job.seq, clock(), job.created_at, new_token, job.cost_microcents, job.priority, job.max_retries, true, job_id,
        job.tenant, job.queue, job.job_type, job.unique_key, job.concurrency_key, job.source, job.parent_id, job.input
    );
    INSERT INTO audit (at, token, tenant, actor, action, subject, reason, detail)
    VALUES (
        clock(), new_token, job.tenant, act_actor, 'JOB_RETRIED', 'job:' || job_id, act_reason,
        json_build_object('before', job.state)
    );
    IF notify THEN
        PERFORM tell(ARRAY[job.queue]);
    END IF;
    RETURN 'retried';
END
$$;
