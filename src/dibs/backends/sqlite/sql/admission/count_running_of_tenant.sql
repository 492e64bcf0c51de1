SELECT count(*), coalesce(sum(max_cost_microcents >> 32), 0), coalesce(sum(max_cost_microcents & 4294967295), 0)
FROM dibs_jobs INDEXED BY dibs_jobs_governed
WHERE state = 'running' AND lane IS NOT NULL AND tenant = ?1 AND seq <> ?2
