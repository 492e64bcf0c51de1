DELETE FROM dibs_lanes
WHERE queue = ?1 AND job_type = ?2 AND tenant = ?3 AND source = ?4 AND concurrency_key = ?5
    AND NOT EXISTS (SELECT 1 FROM dibs_jobs INDEXED BY dibs_jobs_lane WHERE ready = 2 AND lane = dibs_lanes.lane)
