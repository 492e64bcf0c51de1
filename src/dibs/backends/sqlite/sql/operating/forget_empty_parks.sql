DELETE FROM dibs_parks
WHERE is_open = 1 AND NOT EXISTS (SELECT 1 FROM dibs_lanes WHERE parked_on = dibs_parks.name)
