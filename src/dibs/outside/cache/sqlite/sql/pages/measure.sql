SELECT (SELECT count(*) FROM pages), (SELECT count(*) FROM bodies),
    (SELECT coalesce(sum(size), 0) FROM pages) + (SELECT coalesce(sum(size), 0) FROM bodies)
