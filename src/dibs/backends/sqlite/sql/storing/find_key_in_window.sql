SELECT {job_columns} FROM dibs_jobs
WHERE unique_key = ?1 AND job_type = ?2 AND tenant = ?3 AND created_at > ?4
ORDER BY seq DESC LIMIT 1
