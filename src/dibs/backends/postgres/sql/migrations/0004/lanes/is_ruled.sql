-- Whether jobs of a tenant in a queue are governed, whatever they name.
CREATE FUNCTION {schema}.is_ruled(job_tenant text, job_queue text) RETURNS boolean
LANGUAGE sql STABLE
AS $$
    SELECT EXISTS (SELECT FROM {schema}.rules WHERE kind = 'tenant' AND name = job_tenant)
        OR EXISTS (SELECT FROM {schema}.rules WHERE kind = 'gate' AND name = 'tenant:' || job_tenant)
        OR EXISTS (SELECT FROM {schema}.rules WHERE kind = 'queue' AND name = job_queue)
$$;

-- Those of some plain jobs that are governed after all: a rule has caught up with them.
CREATE FUNCTION {schema}.find_governed(ids text[], has_rules boolean) RETURNS text[]
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN ARRAY (
        SELECT found.id FROM unnest(ids) AS asked (id)
        -- OFFSET: first found by id, then looked at; a plan that begins with what is ready would read all of that.
        CROSS JOIN LATERAL (SELECT * FROM jobs WHERE id BETWEEN asked.id AND asked.id OFFSET 0) AS found
        WHERE found.ready AND (
            found.source IS NOT NULL OR found.concurrency_key IS NOT NULL
            -- Not by is_ruled: a function that asks tables is never made part of a statement, and costs each row a call.
            OR (has_rules AND EXISTS (
                SELECT FROM rules
                WHERE (kind = 'tenant' AND name = found.tenant) OR (kind = 'gate' AND name = 'tenant:' || found.tenant)
                    OR (kind = 'queue' AND name = found.queue)
            ))
        )
    );
END
$$;
