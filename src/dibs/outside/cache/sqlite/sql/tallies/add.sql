INSERT INTO tallies (day, source, hits, revalidated, misses)
VALUES (:now / 86400000000, :source, :hits, :revalidated, :misses)
ON CONFLICT (day, source) DO UPDATE SET hits = hits + excluded.hits,
    revalidated = revalidated + excluded.revalidated, misses = misses + excluded.misses
