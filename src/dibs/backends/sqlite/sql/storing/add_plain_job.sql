INSERT INTO dibs_jobs (
    seq, id, tenant, queue, job_type, state, ready, priority, run_at, max_retries, created_at, input
)
VALUES (?1, ?2, ?3, ?4, ?5, 'pending', ?6, ?7, ?8, ?9, ?10, ?11)
