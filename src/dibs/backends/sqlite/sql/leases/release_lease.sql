UPDATE dibs_leases SET expires_at = NULL
WHERE name = ?1 AND owner = ?2 AND token = ?3 AND expires_at IS NOT NULL
