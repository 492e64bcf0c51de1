DELETE FROM dibs_schedules WHERE tenant = ?1 AND name = ?2
