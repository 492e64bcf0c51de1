-- Where a failed job goes: again (retryable, pending), or to failed with the audit action that says why.
CREATE FUNCTION {schema}.judge_failure(job {schema}.jobs, kind text, most_deaths integer, OUT state text, OUT action text)
LANGUAGE sql IMMUTABLE
AS $$
    SELECT
        CASE
            WHEN kind = 'crash' AND job.worker_deaths + 1 < most_deaths THEN 'pending'
            WHEN kind = 'transient' AND job.attempts - job.worker_deaths + 1 <= job.max_retries THEN 'retryable'
            ELSE 'failed'
        END,
        CASE kind
            WHEN 'crash' THEN 'JOB_QUARANTINED'
            WHEN 'transient' THEN 'JOB_EXHAUSTED_RETRIES'
            ELSE 'JOB_FAILED'
        END
$$;
