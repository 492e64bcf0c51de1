UPDATE dibs_jobs SET permit = NULL WHERE seq = ?1
