SELECT name FROM dibs_sources WHERE probe_job IN (SELECT value FROM json_each(?1))
