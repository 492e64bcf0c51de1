INSERT INTO dibs_sources (name, source) VALUES (?1, ?2)
ON CONFLICT (name) DO UPDATE SET source = excluded.source
