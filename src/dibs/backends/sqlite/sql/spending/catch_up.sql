WITH RECURSIVE types (job_type) AS (
    SELECT min(job_type) FROM dibs_ring INDEXED BY dibs_ring_places WHERE queue = ?1
    UNION ALL
    SELECT (
        SELECT min(ring.job_type) FROM dibs_ring AS ring INDEXED BY dibs_ring_places
        WHERE ring.queue = ?1 AND ring.job_type > types.job_type
    )
    FROM types WHERE job_type IS NOT NULL
)
UPDATE dibs_ring SET place = 0
WHERE (queue, tenant, job_type) IN (
    SELECT behind.queue, behind.tenant, behind.job_type
    FROM types CROSS JOIN dibs_ring AS behind INDEXED BY dibs_ring_places
    WHERE behind.queue = ?1 AND behind.job_type = types.job_type AND behind.place > 0 AND behind.place < ?2
    LIMIT ?3
)
