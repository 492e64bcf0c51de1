INSERT INTO {schema}.pages (slot, tenant, source, url, status, headers, body, size, stored_at, fresh_until, kept_until)
SELECT $1, $2, $3, $4, $5, $6, $7, $8, now, now + $9::bigint, now + $9::bigint + $10::bigint
FROM (SELECT {schema}.now_micros() AS now) AS clock
ON CONFLICT (slot) DO UPDATE SET
    url = excluded.url, status = excluded.status, headers = excluded.headers, body = excluded.body,
    size = excluded.size, stored_at = excluded.stored_at, fresh_until = excluded.fresh_until,
    kept_until = excluded.kept_until
