-- The shut gate before such jobs; of several the strictest, and of those the widest. NULL asks for no tenant, no source.
CREATE FUNCTION {schema}.find_gate(
    job_queue text, job_type text, job_tenant text, job_source text, OUT gate text, OUT until timestamptz
)
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    SELECT name, coalesce(expires_at, 'infinity') INTO gate, until
    FROM rules
    WHERE kind = 'gate' AND (expires_at IS NULL OR expires_at > clock()) AND (
        scope = 'global'
        OR (scope = 'tenant' AND scope_name = job_tenant)
        OR (scope = 'queue' AND scope_name = job_queue)
        OR (scope = 'job_type' AND scope_name = find_gate.job_type)
        OR (scope = 'source' AND scope_name = job_source)
    )
    ORDER BY mode = 'closed' DESC, array_position(ARRAY['global', 'tenant', 'queue', 'job_type', 'source'], scope::text)
    LIMIT 1;
END
$$;
