DELETE FROM dibs_attempts WHERE job_seq IN (SELECT value FROM json_each(?1))
