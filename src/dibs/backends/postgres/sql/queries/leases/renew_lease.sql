UPDATE {schema}.leases SET expires_at = {schema}.clock() + {schema}.micros($4::bigint)
WHERE name = $1::text AND owner = $2::text AND token = $3::bigint AND expires_at IS NOT NULL
RETURNING name, owner, token, expires_at
