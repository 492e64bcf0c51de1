-- From tenant to tenant along the index: there is a seal for every entry of the log.
WITH RECURSIVE heads AS (
    (SELECT tenant, position, sequence, hash FROM {schema}.seals ORDER BY tenant DESC, position DESC LIMIT 1)
    UNION ALL
    SELECT before.*
    FROM heads
    CROSS JOIN LATERAL (
        SELECT seals.tenant, seals.position, seals.sequence, seals.hash FROM {schema}.seals
        WHERE seals.tenant < heads.tenant
        ORDER BY seals.tenant DESC, seals.position DESC
        LIMIT 1
    ) AS before
)
SELECT tenant, position, sequence, hash FROM heads ORDER BY tenant
