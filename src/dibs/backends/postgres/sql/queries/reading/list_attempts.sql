SELECT {schema}.describe_job($1::text) AS job, to_json(attempts)::text AS attempt
FROM (SELECT $1::text AS id) AS asked
LEFT JOIN {schema}.attempts ON attempts.job_id = asked.id
ORDER BY attempts.token
