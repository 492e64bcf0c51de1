UPDATE dibs_attempts SET error = ?3
WHERE job_seq = (SELECT seq FROM dibs_jobs WHERE id = ?1) AND error = ?2
