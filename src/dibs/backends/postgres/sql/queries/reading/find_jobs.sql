SELECT id, to_json(jobs)::text AS job FROM {schema}.jobs WHERE id = ANY ($1::text[])
UNION ALL
SELECT id, to_json(finished_jobs)::text FROM {schema}.finished_jobs WHERE id = ANY ($1::text[])
