-- By rows, not by to_regclass: that may answer out of what this session has known since before the lock.
SELECT EXISTS (
    SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname = $1 AND relname = 'tallies'
)
