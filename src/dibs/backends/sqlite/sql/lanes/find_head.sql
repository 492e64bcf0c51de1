SELECT priority, seq FROM dibs_jobs INDEXED BY dibs_jobs_lane
WHERE ready = 2 AND lane = ?1
ORDER BY priority DESC, seq LIMIT 1
