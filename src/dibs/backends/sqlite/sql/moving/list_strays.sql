SELECT seq, queue, job_type, tenant, source, concurrency_key, max_cost_microcents, priority FROM dibs_jobs
WHERE seq IN (SELECT value FROM json_each(?1)) AND ready = 1
