SELECT name, owner, token, expires_at FROM dibs_leases
WHERE name = ?1 AND expires_at > (SELECT now FROM dibs_clock)
