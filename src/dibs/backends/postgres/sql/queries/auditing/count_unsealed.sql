SELECT count(*) AS count FROM {schema}.audit
WHERE sequence > (SELECT floor FROM {schema}.seal_marks) AND ($1::text IS NULL OR tenant = $1::text)
    AND NOT EXISTS (SELECT FROM {schema}.seals WHERE seals.sequence = audit.sequence)
