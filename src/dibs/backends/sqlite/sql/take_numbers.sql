UPDATE dibs_counters SET value = value + ?1 WHERE name = ?2 RETURNING value
