DELETE FROM pages WHERE slot IN (SELECT slot FROM pages ORDER BY stored_at LIMIT :limit) RETURNING body
