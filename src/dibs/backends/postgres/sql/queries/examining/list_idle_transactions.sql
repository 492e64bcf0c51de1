SELECT pid, coalesce(nullif(application_name, ''), 'no name') AS name,
       extract(epoch FROM clock_timestamp() - state_change)::float8 AS seconds
FROM pg_stat_activity
WHERE datname = current_database() AND state LIKE 'idle in transaction%'
  AND clock_timestamp() - state_change > $1::interval
ORDER BY state_change
