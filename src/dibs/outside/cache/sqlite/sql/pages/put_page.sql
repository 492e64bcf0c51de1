INSERT INTO pages (slot, tenant, source, url, status, headers, body, size, stored_at, fresh_until, kept_until)
VALUES (:slot, :tenant, :source, :url, :status, :headers, :body, :size, :now, :fresh_until, :kept_until)
ON CONFLICT (slot) DO UPDATE SET
    url = excluded.url, status = excluded.status, headers = excluded.headers, body = excluded.body,
    size = excluded.size, stored_at = excluded.stored_at, fresh_until = excluded.fresh_until,
    kept_until = excluded.kept_until
