SELECT name, is_open FROM (SELECT name, is_open FROM dibs_parks WHERE until IS NOT NULL ORDER BY until LIMIT ?1)
UNION SELECT name, is_open FROM (SELECT name, is_open FROM dibs_parks WHERE is_open = 1 LIMIT ?1)
UNION SELECT name, is_open FROM (SELECT name, is_open FROM dibs_parks WHERE is_open = 0 LIMIT ?1)
