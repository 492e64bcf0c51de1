SELECT state, count(*) AS count FROM {schema}.finished_jobs WHERE {conditions} GROUP BY state
