SELECT url, status, headers, body, content, stored_at, fresh_until
FROM pages JOIN bodies ON digest = body
WHERE slot = :slot AND kept_until > :now
