INSERT INTO dibs_workers AS known (worker_id, card, started_at, seen_at, expires_at) VALUES (?1, ?2, ?3, ?3, ?4)
ON CONFLICT (worker_id) DO UPDATE
SET card = excluded.card, seen_at = excluded.seen_at, expires_at = excluded.expires_at,
    started_at = CASE WHEN known.expires_at > excluded.seen_at THEN known.started_at ELSE excluded.started_at END
