UPDATE dibs_jobs SET lane = 0
WHERE seq IN (SELECT seq FROM dibs_jobs INDEXED BY dibs_jobs_running WHERE lease_expires_at IS NOT NULL AND tenant = ?1)
    AND lane IS NULL
