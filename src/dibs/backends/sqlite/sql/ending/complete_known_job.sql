UPDATE dibs_jobs
SET state = 'succeeded', output = ?1, error = NULL, cost_microcents = cost_microcents + ?2, finished_at = ?3,
    lease_expires_at = NULL
WHERE seq = ?6 AND +id = ?4 AND lease_token = ?5 AND state = 'running'
