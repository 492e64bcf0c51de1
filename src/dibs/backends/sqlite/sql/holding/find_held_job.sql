SELECT {job_columns} FROM dibs_jobs WHERE id = ?1 AND lease_token = ?2 AND state = 'running'
