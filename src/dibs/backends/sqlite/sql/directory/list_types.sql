WITH RECURSIVE types (job_type) AS (
    SELECT min(job_type) FROM dibs_lanes INDEXED BY dibs_lanes_order WHERE parked_on = ?1 AND queue = ?2
    UNION ALL
    SELECT (
        SELECT min(lanes.job_type) FROM dibs_lanes AS lanes INDEXED BY dibs_lanes_order
        WHERE lanes.parked_on = ?1 AND lanes.queue = ?2 AND lanes.job_type > types.job_type
    )
    FROM types WHERE job_type IS NOT NULL
)
SELECT job_type FROM types WHERE job_type IS NOT NULL
