INSERT INTO {schema}.workers AS known (worker_id, card, started_at, seen_at, ends_at)
VALUES ($1::text, $2::json, {schema}.clock(), {schema}.clock(), {schema}.clock() + {schema}.micros($3::bigint))
ON CONFLICT (worker_id) DO UPDATE
SET card = excluded.card, seen_at = excluded.seen_at, ends_at = excluded.ends_at,
    started_at = CASE WHEN known.ends_at > excluded.seen_at THEN known.started_at ELSE excluded.started_at END
