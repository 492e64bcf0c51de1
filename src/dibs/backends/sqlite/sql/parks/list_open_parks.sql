SELECT name, (SELECT count(*) FROM (SELECT 1 FROM dibs_lanes WHERE parked_on = parks.name LIMIT ?1))
FROM dibs_parks AS parks INDEXED BY dibs_parks_open WHERE is_open = 1 LIMIT ?2
