INSERT INTO flights (slot, owner, ends_at) VALUES (:slot, :owner, :ends_at)
ON CONFLICT (slot) DO UPDATE SET owner = excluded.owner, ends_at = excluded.ends_at
WHERE flights.ends_at <= :now OR flights.owner = excluded.owner
RETURNING 1
