INSERT INTO {schema}.tallies AS known (day, source, hits, revalidated, misses)
SELECT {schema}.now_micros() / 86400000000, * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[])
-- In one order, so that two who write do not wait for each other in a circle.
ORDER BY 2
ON CONFLICT (day, source) DO UPDATE SET hits = known.hits + excluded.hits,
    revalidated = known.revalidated + excluded.revalidated, misses = known.misses + excluded.misses
