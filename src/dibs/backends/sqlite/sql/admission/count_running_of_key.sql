SELECT count(*) FROM dibs_jobs INDEXED BY dibs_jobs_governed
WHERE state = 'running' AND lane IS NOT NULL AND tenant = ?1 AND concurrency_key = ?2 AND seq <> ?3
