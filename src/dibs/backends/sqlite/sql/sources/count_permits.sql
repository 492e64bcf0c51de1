SELECT count(*) FROM dibs_jobs INDEXED BY dibs_jobs_permits
WHERE state = 'running' AND permit IS NOT NULL AND source = ?1 AND permit = lease_token AND seq <> ?2
