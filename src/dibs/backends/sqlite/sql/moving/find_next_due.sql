WITH later AS (
    SELECT seq, run_at FROM dibs_jobs INDEXED BY dibs_jobs_later WHERE ready = 0 AND run_at >= 0
    ORDER BY run_at, seq LIMIT ?4
)
SELECT min(later.run_at) FROM later CROSS JOIN dibs_jobs AS jobs ON jobs.seq = later.seq
WHERE (?1 IS NULL OR jobs.queue IN (SELECT value FROM json_each(?1)))
    AND (?2 IS NULL OR jobs.job_type IN (SELECT value FROM json_each(?2))) AND (?3 IS NULL OR jobs.tenant = ?3)
UNION ALL
SELECT max(run_at) FROM later HAVING count(*) = ?4
