UPDATE dibs_jobs
SET state = 'running', ready = NULL, lease_token = ?2, locked_by = ?3, locked_at = ?4, heartbeat_at = ?4,
    lease_expires_at = ?5, started_at = coalesce(started_at, ?4),
    permit = CASE WHEN source IS NULL THEN NULL ELSE ?2 END
WHERE seq = ?1 AND ready = 2
