SELECT source, hits, revalidated, misses FROM tallies WHERE day = :now / 86400000000 ORDER BY source
