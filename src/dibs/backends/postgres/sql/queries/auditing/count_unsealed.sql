SELECT count(*) AS count FROM {schema}.audit
WHERE sequence > (SELECT floor FROM {schema}.seal_marks) AND ($1::text IS NULL OR tenant = $1::text)
    AND sequence NOT IN (SELECT {schema}.sealed_above((SELECT floor FROM {schema}.seal_marks)))
