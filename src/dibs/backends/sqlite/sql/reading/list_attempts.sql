SELECT number, token, worker, started_at, ended_at, outcome, error FROM dibs_attempts WHERE job_seq = ?1 ORDER BY number
