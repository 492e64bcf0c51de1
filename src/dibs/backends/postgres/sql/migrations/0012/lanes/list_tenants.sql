-- The tenants with lanes at one place of the directory, many at a time. Of one who has many lanes, the others are passed
-- over in one step of the index.
CREATE OR REPLACE FUNCTION {schema}.list_tenants(its_queue text, its_type text, its_barrier text) RETURNS SETOF text
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    at_once CONSTANT integer := 64;
    page text[];
    last_tenant text := '';
BEGIN
    LOOP
        page := ARRAY (
            SELECT lanes.tenant FROM {schema}.lanes
            WHERE queue = its_queue AND job_type = its_type AND barrier = its_barrier AND lanes.tenant > last_tenant
            ORDER BY lanes.tenant
            LIMIT at_once
        );
        RETURN QUERY SELECT DISTINCT unnest(page);
        EXIT WHEN cardinality(page) < at_once;
        last_tenant := page[at_once];
    END LOOP;
END
$$;
