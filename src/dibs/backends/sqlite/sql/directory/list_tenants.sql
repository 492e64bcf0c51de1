WITH RECURSIVE tenants (tenant) AS (
    SELECT min(tenant) FROM dibs_lanes INDEXED BY dibs_lanes_tenant
    WHERE parked_on = ?1 AND queue = ?2 AND job_type = ?3
    UNION ALL
    SELECT (
        SELECT min(lanes.tenant) FROM dibs_lanes AS lanes INDEXED BY dibs_lanes_tenant
        WHERE lanes.parked_on = ?1 AND lanes.queue = ?2 AND lanes.job_type = ?3 AND lanes.tenant > tenants.tenant
    )
    FROM tenants WHERE tenant IS NOT NULL
)
SELECT tenant FROM tenants WHERE tenant IS NOT NULL
