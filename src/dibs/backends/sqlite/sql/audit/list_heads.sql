WITH RECURSIVE tenants (tenant) AS (
    SELECT min(tenant) FROM dibs_seals
    UNION ALL
    SELECT (SELECT min(seals.tenant) FROM dibs_seals AS seals WHERE seals.tenant > tenants.tenant)
    FROM tenants WHERE tenant IS NOT NULL
)
SELECT seals.tenant, seals.position, seals.sequence, seals.hash
FROM tenants CROSS JOIN dibs_seals AS seals
    ON seals.tenant = tenants.tenant
    AND seals.position = (SELECT max(position) FROM dibs_seals AS own WHERE own.tenant = tenants.tenant)
ORDER BY seals.tenant
