SELECT sequence, timestamptz_send(at), tenant, actor, action, subject, reason, token, detail::text FROM {schema}.audit
WHERE sequence > (SELECT floor FROM {schema}.seal_marks)
    AND sequence NOT IN (SELECT {schema}.sealed_above((SELECT floor FROM {schema}.seal_marks)))
ORDER BY sequence LIMIT $1::bigint
