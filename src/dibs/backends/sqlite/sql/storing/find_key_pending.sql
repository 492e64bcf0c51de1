SELECT {job_columns} FROM dibs_jobs INDEXED BY dibs_jobs_key_held
WHERE unique_key = ?1 AND job_type = ?2 AND tenant = ?3 AND finished_at IS NULL AND state = 'pending'
ORDER BY seq DESC LIMIT 1
