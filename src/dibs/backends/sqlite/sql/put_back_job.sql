UPDATE dibs_jobs
SET state = ?2, ready = ?3, run_at = ?4, error = ?5, cost_microcents = ?6, attempts = ?7, worker_deaths = ?8,
    lease_token = ?9, locked_by = NULL, locked_at = NULL, heartbeat_at = NULL, lease_expires_at = NULL
WHERE seq = ?1
