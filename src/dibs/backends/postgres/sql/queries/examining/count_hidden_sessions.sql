SELECT count(*) AS count, current_user AS name FROM pg_stat_activity
WHERE datname = current_database() AND usename IS NOT NULL AND query = '<insufficient privilege>'
