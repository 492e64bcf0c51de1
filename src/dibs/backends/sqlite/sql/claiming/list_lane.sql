SELECT {waiting_columns} FROM dibs_jobs INDEXED BY dibs_jobs_ready
WHERE ready = 1 AND queue = ?1 AND job_type = ?2 AND (?3 IS NULL OR tenant = ?3)
ORDER BY priority DESC, seq LIMIT ?4
