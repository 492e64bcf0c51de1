WITH RECURSIVE queues (queue) AS (
    SELECT min(queue) FROM dibs_lanes
    UNION ALL
    SELECT (SELECT min(lanes.queue) FROM dibs_lanes AS lanes WHERE lanes.queue > queues.queue)
    FROM queues WHERE queue IS NOT NULL
), kinds (queue, job_type) AS (
    SELECT queue, (SELECT min(lanes.job_type) FROM dibs_lanes AS lanes WHERE lanes.queue = queues.queue)
    FROM queues WHERE queue IS NOT NULL
    UNION ALL
    SELECT queue, (
        SELECT min(lanes.job_type) FROM dibs_lanes AS lanes
        WHERE lanes.queue = kinds.queue AND lanes.job_type > kinds.job_type
    )
    FROM kinds WHERE job_type IS NOT NULL
)
SELECT queue, job_type FROM kinds WHERE job_type IS NOT NULL
