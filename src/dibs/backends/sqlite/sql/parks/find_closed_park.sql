SELECT 1 FROM dibs_parks INDEXED BY dibs_parks_closed WHERE is_open = 0 AND subject > '' LIMIT 1
