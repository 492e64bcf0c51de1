-- BETWEEN, so that each is looked up: a join of another kind would read all seals there are.
SELECT sequence, timestamptz_send(at), tenant, actor, action, subject, reason, token, detail::text FROM {schema}.audit
WHERE sequence > (SELECT floor FROM {schema}.seal_marks)
    AND NOT EXISTS (SELECT FROM {schema}.seals WHERE seals.sequence BETWEEN audit.sequence AND audit.sequence)
ORDER BY sequence LIMIT $1::bigint
