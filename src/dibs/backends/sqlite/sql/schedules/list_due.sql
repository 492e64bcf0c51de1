SELECT schedule FROM dibs_schedules INDEXED BY dibs_schedules_next WHERE next_at <= ?1 ORDER BY next_at, tenant, name LIMIT ?2
