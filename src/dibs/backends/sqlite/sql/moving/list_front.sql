SELECT seq, queue, job_type, tenant, source, concurrency_key, max_cost_microcents, priority FROM dibs_jobs INDEXED BY dibs_jobs_ready
WHERE ready = 1 AND queue = ?1 AND job_type = ?2
ORDER BY priority DESC, seq LIMIT ?3
