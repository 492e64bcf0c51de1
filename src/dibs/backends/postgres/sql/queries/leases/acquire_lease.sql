INSERT INTO {schema}.leases AS held (name, owner, token, expires_at)
VALUES ($1::text, $2::text, 1, {schema}.clock() + {schema}.micros($3::bigint))
ON CONFLICT (name) DO UPDATE
SET owner = excluded.owner, token = held.token + 1, expires_at = excluded.expires_at
WHERE held.expires_at IS NULL OR held.expires_at <= {schema}.clock()
RETURNING name, owner, token, expires_at
