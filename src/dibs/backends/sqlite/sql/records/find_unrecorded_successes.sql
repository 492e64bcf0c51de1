SELECT id, lease_token FROM dibs_jobs
WHERE id IN (SELECT value FROM json_each(?1)) AND state = 'succeeded' AND finished_at = ?3 AND NOT EXISTS (
    SELECT 1 FROM dibs_audit
    WHERE subject = 'job:' || dibs_jobs.id AND token = dibs_jobs.lease_token AND action = ?2
)
