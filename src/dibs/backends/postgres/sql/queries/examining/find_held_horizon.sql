SELECT 'the prepared transaction ' || gid AS holder, age(transaction) AS age FROM pg_prepared_xacts
WHERE database = current_database()
UNION ALL
SELECT 'the replication slot ' || slot_name, greatest(age(xmin), age(catalog_xmin)) FROM pg_replication_slots
WHERE xmin IS NOT NULL
ORDER BY 2 DESC NULLS LAST LIMIT 1
