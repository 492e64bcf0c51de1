SELECT queue, state, count(*) AS count FROM {schema}.jobs GROUP BY queue, state
