SELECT seq, to_json(finished_jobs)::text AS job FROM {schema}.finished_jobs
WHERE {conditions} ORDER BY seq DESC LIMIT {limit}
