WITH RECURSIVE levels (place) AS (
    SELECT min(place) FROM dibs_ring INDEXED BY dibs_ring_places WHERE queue = ?1 AND job_type = ?2
    UNION ALL
    SELECT (
        SELECT min(ring.place) FROM dibs_ring AS ring INDEXED BY dibs_ring_places
        WHERE ring.queue = ?1 AND ring.job_type = ?2 AND ring.place > levels.place
    )
    FROM levels WHERE place < ?3
)
SELECT place FROM levels WHERE place <= ?3
