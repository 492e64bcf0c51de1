SELECT coalesce(
    (
        SELECT first.id FROM dibs_jobs AS first INDEXED BY dibs_jobs_lane
        WHERE first.ready = 2 AND first.lane = job.lane
        ORDER BY first.priority DESC, first.seq LIMIT 1
    ),
    (
        SELECT first.id FROM dibs_jobs AS first INDEXED BY dibs_jobs_ready
        WHERE first.ready = 1 AND first.queue = job.queue AND first.job_type = job.job_type
        ORDER BY first.priority DESC, first.seq LIMIT 1
    )
)
FROM dibs_jobs AS job WHERE job.id = ?1 AND job.ready IN (1, 2)
