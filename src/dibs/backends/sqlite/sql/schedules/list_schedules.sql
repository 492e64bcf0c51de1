SELECT schedule FROM dibs_schedules WHERE ?1 IS NULL OR tenant = ?1 ORDER BY tenant, name
