SELECT schedule FROM {schema}.schedules WHERE $1::text IS NULL OR tenant = $1::text ORDER BY tenant, name
