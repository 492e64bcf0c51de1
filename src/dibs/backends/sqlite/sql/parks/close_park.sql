INSERT INTO dibs_parks (name, subject, is_open, until) VALUES (?1, ?2, 0, ?3)
ON CONFLICT (name) DO UPDATE SET is_open = 0, until = excluded.until
