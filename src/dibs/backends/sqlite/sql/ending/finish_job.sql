UPDATE dibs_jobs
SET state = ?2, ready = NULL, finished_at = ?3, error = ?4, cost_microcents = ?5, attempts = ?6, worker_deaths = ?7,
    lease_token = ?8, lease_expires_at = NULL
WHERE seq = ?1
