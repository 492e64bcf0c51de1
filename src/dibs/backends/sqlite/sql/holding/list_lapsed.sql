SELECT {job_columns} FROM dibs_jobs INDEXED BY dibs_jobs_running
WHERE lease_expires_at <= ?1
ORDER BY lease_expires_at, lease_token LIMIT ?2
