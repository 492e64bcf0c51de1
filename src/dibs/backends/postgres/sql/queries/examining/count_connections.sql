SELECT count(*) AS count FROM pg_stat_activity
WHERE backend_type = 'client backend' OR (backend_type IS NULL AND datname IS NOT NULL AND usename IS NOT NULL)
