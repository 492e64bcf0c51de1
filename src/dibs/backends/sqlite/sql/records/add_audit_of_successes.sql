INSERT INTO dibs_audit (at, tenant, actor, action, subject, token)
SELECT ?1, jobs.tenant, jobs.locked_by, ?2, 'job:' || jobs.id, jobs.lease_token
FROM json_each(?3) AS done CROSS JOIN dibs_jobs AS jobs ON jobs.id = done.value
