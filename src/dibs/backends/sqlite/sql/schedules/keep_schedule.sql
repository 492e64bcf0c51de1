INSERT INTO dibs_schedules (tenant, name, version, next_at, schedule) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (tenant, name) DO UPDATE
SET version = excluded.version, next_at = excluded.next_at, schedule = excluded.schedule
