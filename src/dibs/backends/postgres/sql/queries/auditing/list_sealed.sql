SELECT seals.tenant, seals.position, seals.sequence, seals.hash, to_json(audit)::text AS entry
FROM {schema}.seals
LEFT JOIN {schema}.audit ON audit.sequence = seals.sequence
WHERE seals.tenant = $1::text AND seals.position > $2::bigint
ORDER BY seals.position LIMIT $3::bigint
