UPDATE dibs_jobs
SET state = 'pending', ready = ?4, lane = ?5, run_at = ?2, lease_token = ?3, attempts = 0, worker_deaths = 0,
    locked_by = NULL, locked_at = NULL, heartbeat_at = NULL, lease_expires_at = NULL, started_at = NULL,
    finished_at = NULL, error = NULL, progress = NULL, output = NULL
WHERE seq = ?1
