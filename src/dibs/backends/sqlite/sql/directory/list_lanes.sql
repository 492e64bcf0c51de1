SELECT lane, queue, job_type, tenant, source, concurrency_key, max_cost_microcents, priority, seq, parked_on
FROM dibs_lanes INDEXED BY dibs_lanes_order
WHERE parked_on = ?1 AND queue = ?2 AND job_type = ?3
ORDER BY priority DESC, seq LIMIT ?4
