WITH old AS (
    SELECT tenant, name, instant FROM {schema}.fires WHERE fired_at < {schema}.clock() - {schema}.micros($1::bigint)
    ORDER BY fired_at, tenant, name, instant LIMIT $2::bigint
    FOR UPDATE SKIP LOCKED
)
DELETE FROM {schema}.fires USING old
WHERE fires.tenant = old.tenant AND fires.name = old.name AND fires.instant = old.instant
RETURNING 1
