SELECT seq, queue, job_type, tenant, source, concurrency_key, max_cost_microcents, priority FROM dibs_jobs
WHERE seq IN (SELECT seq FROM dibs_jobs INDEXED BY dibs_jobs_ready WHERE ready = 1 AND queue = ?1 LIMIT ?2)
