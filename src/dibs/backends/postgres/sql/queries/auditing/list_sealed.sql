SELECT $1::text AS tenant, one.position, one.sequence, one.hash, to_json(audit)::text AS entry
FROM (
    SELECT seals.position - cardinality(coalesce(seals.earlier_sequences, '{}')) - 1 + single.place AS position,
        single.sequence, single.hash
    FROM {schema}.seals
    CROSS JOIN LATERAL unnest(
        array_append(seals.earlier_sequences, seals.sequence), array_append(seals.earlier_hashes, seals.hash)
    ) WITH ORDINALITY AS single (sequence, hash, place)
    WHERE seals.tenant = $1::text AND seals.position > $2::bigint
        AND seals.position - cardinality(coalesce(seals.earlier_sequences, '{}')) - 1 + single.place > $2::bigint
    ORDER BY seals.position, single.place
    LIMIT $3::bigint
) AS one
LEFT JOIN {schema}.audit ON audit.sequence = one.sequence
ORDER BY one.position
