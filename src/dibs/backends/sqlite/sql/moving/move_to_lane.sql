UPDATE dibs_jobs SET ready = 2, lane = ?2 WHERE seq IN (SELECT value FROM json_each(?1)) AND ready = 1
