SELECT jobs.id
FROM unnest($1::text[], $2::text[], $3::text[]) AS asked (tenant, job_type, unique_key)
JOIN {schema}.jobs USING (tenant, job_type, unique_key)
ORDER BY jobs.seq
