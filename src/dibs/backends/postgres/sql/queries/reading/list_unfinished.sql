SELECT seq, to_json(jobs)::text AS job FROM {schema}.jobs WHERE {conditions} ORDER BY seq DESC LIMIT {limit}
