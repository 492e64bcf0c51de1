INSERT INTO {schema}.schedules (tenant, name, version, next_at, schedule)
VALUES ($1::text, $2::text, $3::bigint, $4::timestamptz, $5::text)
ON CONFLICT (tenant, name) DO UPDATE
SET version = excluded.version, next_at = excluded.next_at, schedule = excluded.schedule
