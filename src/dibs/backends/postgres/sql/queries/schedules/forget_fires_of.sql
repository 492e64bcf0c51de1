DELETE FROM {schema}.fires
WHERE tenant = $1::text AND name = $2::text AND instant IN (
    SELECT instant FROM {schema}.fires WHERE tenant = $1::text AND name = $2::text ORDER BY instant LIMIT $3::bigint
)
RETURNING 1
