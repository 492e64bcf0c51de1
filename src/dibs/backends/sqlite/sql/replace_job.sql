UPDATE dibs_jobs SET ready = ?2, priority = ?3, run_at = ?4, input = ?5
WHERE seq = ?1 AND state IN ('pending', 'retryable')
RETURNING {job_columns}
