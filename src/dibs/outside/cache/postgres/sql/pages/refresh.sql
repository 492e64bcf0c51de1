UPDATE {schema}.pages
SET headers = $2, size = $3, stored_at = now, fresh_until = now + $4::bigint, kept_until = now + $4::bigint + $5::bigint
FROM (SELECT {schema}.now_micros() AS now) AS clock
WHERE slot = $1
