SELECT tenant, name, instant, fired_at, job_id FROM dibs_fires WHERE tenant = ?1 AND name = ?2 ORDER BY instant DESC LIMIT ?3
