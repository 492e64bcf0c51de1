UPDATE pages
SET headers = :headers, size = :size, stored_at = :now, fresh_until = :fresh_until, kept_until = :kept_until
WHERE slot = :slot
