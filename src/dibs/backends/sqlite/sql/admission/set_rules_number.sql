UPDATE dibs_counters SET value = ?1 WHERE name = 'rules'
