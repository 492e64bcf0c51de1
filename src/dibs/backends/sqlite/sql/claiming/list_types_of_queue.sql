WITH RECURSIVE types (job_type) AS (
    SELECT min(job_type) FROM dibs_jobs INDEXED BY dibs_jobs_ready WHERE ready = 1 AND queue = ?1
    UNION ALL
    SELECT (
        SELECT min(jobs.job_type) FROM dibs_jobs AS jobs INDEXED BY dibs_jobs_ready
        WHERE jobs.ready = 1 AND jobs.queue = ?1 AND jobs.job_type > types.job_type
    )
    FROM types WHERE job_type IS NOT NULL
)
SELECT job_type FROM types WHERE job_type IS NOT NULL
