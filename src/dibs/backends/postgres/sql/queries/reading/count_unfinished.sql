SELECT state, count(*) AS count FROM {schema}.jobs WHERE {conditions} GROUP BY state
