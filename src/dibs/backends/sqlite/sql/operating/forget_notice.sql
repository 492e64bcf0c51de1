DELETE FROM dibs_notices
WHERE queue = ?1
    AND NOT EXISTS (SELECT 1 FROM dibs_jobs INDEXED BY dibs_jobs_ready WHERE ready = 1 AND queue = ?1)
    AND NOT EXISTS (SELECT 1 FROM dibs_lanes WHERE queue = ?1)
