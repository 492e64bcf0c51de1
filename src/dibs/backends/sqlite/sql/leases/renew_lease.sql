UPDATE dibs_leases SET expires_at = (SELECT now FROM dibs_clock) + ?4
WHERE name = ?1 AND owner = ?2 AND token = ?3 AND expires_at IS NOT NULL
RETURNING name, owner, token, expires_at
