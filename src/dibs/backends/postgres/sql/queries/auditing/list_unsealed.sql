SELECT to_json(audit)::text AS entry FROM {schema}.audit
WHERE sequence > (SELECT floor FROM {schema}.seal_marks)
    AND NOT EXISTS (SELECT FROM {schema}.seals WHERE seals.sequence = audit.sequence)
ORDER BY sequence LIMIT $1::bigint
