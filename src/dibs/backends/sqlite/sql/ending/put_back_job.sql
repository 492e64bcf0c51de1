UPDATE dibs_jobs
SET state = ?2, ready = ?3, lane = ?4, run_at = ?5, error = ?6, cost_microcents = ?7, attempts = ?8, worker_deaths = ?9,
    lease_token = ?10, locked_by = NULL, locked_at = NULL, heartbeat_at = NULL, lease_expires_at = NULL
WHERE seq = ?1
