SELECT now, (SELECT value FROM dibs_counters WHERE name = 'rules') FROM dibs_clock
