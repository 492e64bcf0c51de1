-- Jobs in lanes that no longer are theirs (once, costs made no lane) wait for the next claim, which lets them into theirs.
SET LOCAL search_path = {schema}, pg_temp;
DELETE FROM arrivals WHERE lane IS NOT NULL AND max_cost IS NULL;
UPDATE jobs SET lane = NULL
WHERE lane IS NOT NULL AND lane IS DISTINCT FROM lane_of(
    queue, job_type, tenant, source, concurrency_key, max_cost_microcents, true
);
DELETE FROM lanes WHERE NOT EXISTS (SELECT FROM jobs WHERE jobs.lane = lanes.lane);
-- Whoever is held back still is found out by the next claim, and has a barrier with today's name then.
UPDATE lanes SET barrier = '' WHERE barrier <> '';
DELETE FROM barriers;
INSERT INTO arrivals (subject)
SELECT '~' WHERE NOT EXISTS (SELECT FROM arrivals)
    AND (EXISTS (SELECT FROM rules) OR EXISTS (SELECT FROM lanes));
SET LOCAL search_path TO DEFAULT;
