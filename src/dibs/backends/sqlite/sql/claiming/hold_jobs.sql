UPDATE dibs_jobs
SET state = 'running', ready = NULL, lease_token = ?2 + chosen.key, locked_by = ?3, locked_at = ?4, heartbeat_at = ?4,
    lease_expires_at = ?5, started_at = coalesce(started_at, ?4)
FROM json_each(?1) AS chosen
WHERE dibs_jobs.seq = chosen.value
