UPDATE dibs_counters
SET value = coalesce(
    (
        SELECT dibs_audit.sequence - 1 FROM dibs_audit
        WHERE dibs_audit.sequence > value AND action <> ''
            AND NOT EXISTS (SELECT 1 FROM dibs_seals WHERE dibs_seals.sequence = dibs_audit.sequence)
        ORDER BY dibs_audit.sequence LIMIT 1
    ),
    (SELECT max(sequence) FROM dibs_audit),
    value
)
WHERE name = 'sealed'
