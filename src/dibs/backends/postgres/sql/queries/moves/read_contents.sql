SELECT held.id, held.input::text, held.error::text, held.progress::text
FROM unnest($1::text[], $2::bigint[]) AS asked (id, token)
CROSS JOIN LATERAL (SELECT * FROM {schema}.jobs WHERE jobs.id = asked.id OFFSET 0) AS held
WHERE held.lease_token = asked.token AND held.state = 'running'
