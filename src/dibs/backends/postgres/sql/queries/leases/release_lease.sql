UPDATE {schema}.leases SET expires_at = NULL
WHERE name = $1::text AND owner = $2::text AND token = $3::bigint AND expires_at IS NOT NULL
RETURNING name
