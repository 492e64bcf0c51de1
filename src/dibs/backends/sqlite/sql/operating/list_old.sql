SELECT finished_at, seq FROM dibs_jobs INDEXED BY dibs_jobs_finished
WHERE state = ?1 AND finished_at < ?2 AND (?3 IS NULL OR tenant = ?3)
    AND (?4 IS NULL OR job_type IN (SELECT value FROM json_each(?4)))
ORDER BY finished_at, seq LIMIT ?5
