WITH RECURSIVE queues (queue) AS (
    SELECT min(queue) FROM dibs_lanes INDEXED BY dibs_lanes_order WHERE parked_on = ?1
    UNION ALL
    SELECT (
        SELECT min(lanes.queue) FROM dibs_lanes AS lanes INDEXED BY dibs_lanes_order
        WHERE lanes.parked_on = ?1 AND lanes.queue > queues.queue
    )
    FROM queues WHERE queue IS NOT NULL
)
SELECT queue FROM queues WHERE queue IS NOT NULL
