SELECT schedule FROM {schema}.schedules WHERE tenant = $1::text AND name = $2::text
