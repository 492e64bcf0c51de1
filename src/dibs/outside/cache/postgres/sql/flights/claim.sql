INSERT INTO {schema}.flights (slot, owner, ends_at) VALUES ($1, $2, {schema}.now_micros() + $3)
ON CONFLICT (slot) DO UPDATE SET owner = excluded.owner, ends_at = excluded.ends_at
WHERE flights.ends_at <= {schema}.now_micros() OR flights.owner = excluded.owner
RETURNING 1
