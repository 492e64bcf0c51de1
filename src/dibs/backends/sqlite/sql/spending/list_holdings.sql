SELECT DISTINCT jobs.tenant, jobs.source, jobs.concurrency_key
FROM json_each(?1) AS done CROSS JOIN dibs_jobs AS jobs ON jobs.id = done.value
