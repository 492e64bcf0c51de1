SELECT lane, priority, seq FROM dibs_lanes
WHERE queue = ?1 AND job_type = ?2 AND tenant = ?3 AND source = ?4 AND concurrency_key = ?5
    AND max_cost_microcents = ?6
