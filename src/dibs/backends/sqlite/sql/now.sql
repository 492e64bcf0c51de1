SELECT
    now,
    (SELECT value FROM dibs_counters WHERE name = 'rules'),
    EXISTS (SELECT 1 FROM dibs_parks INDEXED BY dibs_parks_closed WHERE is_open = 0),
    EXISTS (SELECT 1 FROM dibs_lanes WHERE lane > 0)
FROM dibs_clock
