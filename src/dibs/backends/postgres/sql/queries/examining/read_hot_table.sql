SELECT tables.n_live_tup AS live, tables.n_dead_tup AS dead, tables.last_autovacuum AS vacuumed_at,
       coalesce('autovacuum_enabled=false' = ANY (classes.reloptions), false) AS is_vacuum_off
FROM pg_stat_user_tables AS tables
JOIN pg_class AS classes ON classes.oid = tables.relid
WHERE tables.schemaname = $1::text AND tables.relname = 'jobs'
