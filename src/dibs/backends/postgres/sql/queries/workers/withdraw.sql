DELETE FROM {schema}.workers
WHERE worker_id = $1::text OR ends_at < {schema}.clock() - interval '1 day'
