SELECT card, started_at, seen_at
FROM {schema}.workers
WHERE ends_at > {schema}.clock()
ORDER BY started_at, worker_id
