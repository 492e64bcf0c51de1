INSERT INTO dibs_parks (name, subject, is_open, until, noted_at) VALUES (?1, ?2, 0, ?3, ?4)
ON CONFLICT (name) DO UPDATE SET is_open = 0, until = excluded.until, noted_at = excluded.noted_at
