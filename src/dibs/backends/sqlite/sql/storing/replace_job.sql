UPDATE dibs_jobs SET ready = ?2, lane = ?3, priority = ?4, run_at = ?5, input = ?6
WHERE seq = ?1 AND state IN ('pending', 'retryable')
RETURNING {job_columns}
