INSERT INTO dibs_fires (tenant, name, instant, fired_at, job_id) VALUES (?1, ?2, ?3, ?4, ?5)
