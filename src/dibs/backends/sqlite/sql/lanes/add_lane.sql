INSERT INTO dibs_lanes (queue, job_type, tenant, source, concurrency_key, max_cost_microcents, priority, seq)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
RETURNING lane
