UPDATE dibs_parks INDEXED BY dibs_parks_noted SET is_open = 1, until = NULL WHERE is_open = 0 AND noted_at > ?1
