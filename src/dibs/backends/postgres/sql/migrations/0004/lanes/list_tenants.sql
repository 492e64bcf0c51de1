-- The tenants with lanes at one place of the directory: one step of the index finds one, however many lanes it has.
CREATE FUNCTION {schema}.list_tenants(its_queue text, its_type text, its_barrier text) RETURNS SETOF text
LANGUAGE sql STABLE
AS $$
    WITH RECURSIVE found (tenant) AS (
        (
            SELECT tenant FROM {schema}.lanes
            WHERE queue = its_queue AND job_type = its_type AND barrier = its_barrier
            ORDER BY tenant
            LIMIT 1
        )
        UNION ALL
        SELECT next.tenant FROM found CROSS JOIN LATERAL (
            SELECT lanes.tenant FROM {schema}.lanes
            WHERE queue = its_queue AND job_type = its_type AND barrier = its_barrier AND lanes.tenant > found.tenant
            ORDER BY lanes.tenant
            LIMIT 1
        ) AS next
    )
    SELECT tenant FROM found
$$;
