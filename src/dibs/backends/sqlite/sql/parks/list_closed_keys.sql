SELECT subject FROM dibs_parks INDEXED BY dibs_parks_closed
WHERE is_open = 0 AND subject >= 'key' || char(10) AND subject < 'key' || char(11)
