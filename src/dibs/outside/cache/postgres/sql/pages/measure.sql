SELECT (SELECT count(*) FROM {schema}.pages) AS pages, (SELECT count(*) FROM {schema}.bodies) AS bodies,
    ((SELECT coalesce(sum(size), 0) FROM {schema}.pages) + (SELECT coalesce(sum(size), 0) FROM {schema}.bodies))::bigint
    AS bytes
