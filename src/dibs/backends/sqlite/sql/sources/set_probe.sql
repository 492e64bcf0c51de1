UPDATE dibs_sources SET probe_job = ?2, probe_token = ?3 WHERE name = ?1
