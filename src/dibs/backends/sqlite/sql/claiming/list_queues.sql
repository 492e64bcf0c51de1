WITH RECURSIVE queues (queue) AS (
    SELECT min(queue) FROM dibs_jobs INDEXED BY dibs_jobs_ready WHERE ready = 1
    UNION ALL
    SELECT (SELECT min(jobs.queue) FROM dibs_jobs AS jobs INDEXED BY dibs_jobs_ready WHERE jobs.ready = 1 AND jobs.queue > queues.queue)
    FROM queues WHERE queue IS NOT NULL
)
SELECT queue FROM queues WHERE queue IS NOT NULL
