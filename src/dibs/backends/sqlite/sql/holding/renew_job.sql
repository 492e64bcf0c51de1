UPDATE dibs_jobs SET heartbeat_at = ?3, lease_expires_at = ?4
WHERE id = ?1 AND lease_token = ?2 AND state = 'running'
