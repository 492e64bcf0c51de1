SELECT sequence, to_json(audit)::text AS entry FROM {schema}.audit
WHERE {conditions} ORDER BY sequence DESC LIMIT {limit}
