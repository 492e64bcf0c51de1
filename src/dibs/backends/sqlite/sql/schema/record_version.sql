INSERT INTO dibs_schema (version, oldest_code) VALUES (?1, ?2)
