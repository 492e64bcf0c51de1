INSERT INTO dibs_attempts (job_seq, number, token, worker, started_at, ended_at, outcome, error)
SELECT ?1, coalesce(max(number), 0) + 1, ?2, ?3, ?4, ?5, ?6, ?7 FROM dibs_attempts WHERE job_seq = ?1
