SELECT value FROM dibs_counters WHERE name = 'rules'
