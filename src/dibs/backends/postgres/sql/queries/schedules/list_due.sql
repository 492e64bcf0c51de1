SELECT {schema}.clock() AS now, due.schedule
FROM (SELECT 1) AS one
LEFT JOIN LATERAL (
    SELECT schedule, next_at, tenant, name FROM {schema}.schedules
    WHERE next_at <= {schema}.clock()
    ORDER BY next_at, tenant, name LIMIT $1::bigint
) AS due ON true
ORDER BY due.next_at, due.tenant, due.name
