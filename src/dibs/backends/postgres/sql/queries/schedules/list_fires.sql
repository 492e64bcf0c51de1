SELECT tenant, name, instant, fired_at, job_id FROM {schema}.fires
WHERE tenant = $1::text AND name = $2::text
ORDER BY instant DESC LIMIT $3::bigint
