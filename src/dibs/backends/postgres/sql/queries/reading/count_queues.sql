SELECT queue, state, count(*) AS count FROM {schema}.jobs WHERE {conditions} GROUP BY queue, state
