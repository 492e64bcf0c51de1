UPDATE dibs_jobs SET ready = 1
WHERE seq IN (
    SELECT seq FROM dibs_jobs INDEXED BY dibs_jobs_later WHERE ready = 0 AND run_at < ?1 ORDER BY run_at LIMIT ?2
)
RETURNING queue, CASE WHEN ?3 OR coalesce(source, concurrency_key) IS NOT NULL THEN seq END
