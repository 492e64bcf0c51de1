INSERT INTO dibs_leases AS held (name, owner, token, expires_at)
VALUES (?1, ?2, 1, (SELECT now FROM dibs_clock) + ?3)
ON CONFLICT (name) DO UPDATE
SET owner = excluded.owner, token = held.token + 1, expires_at = excluded.expires_at
WHERE held.expires_at IS NULL OR held.expires_at <= (SELECT now FROM dibs_clock)
RETURNING name, owner, token, expires_at
