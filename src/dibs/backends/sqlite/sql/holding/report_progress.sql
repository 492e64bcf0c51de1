UPDATE dibs_jobs SET progress = ?3 WHERE id = ?1 AND lease_token = ?2 AND state = 'running'
