SELECT card, started_at, seen_at FROM dibs_workers WHERE expires_at > ?1 ORDER BY started_at, worker_id
