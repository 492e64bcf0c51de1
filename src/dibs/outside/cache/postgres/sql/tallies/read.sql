SELECT source, hits, revalidated, misses FROM {schema}.tallies
WHERE day = {schema}.now_micros() / 86400000000 ORDER BY source
