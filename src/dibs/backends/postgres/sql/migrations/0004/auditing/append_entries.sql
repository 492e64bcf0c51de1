CREATE FUNCTION {schema}.append_entries(
    tenants text[], actors text[], actions text[], subjects text[], reasons text[], details text[]
) RETURNS void
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
BEGIN
    INSERT INTO audit (at, tenant, actor, action, subject, reason, detail)
    SELECT clock(), new.tenant, new.actor, new.action, new.subject, new.reason, new.detail::json
    FROM unnest(tenants, actors, actions, subjects, reasons, details) WITH ORDINALITY
        AS new (tenant, actor, action, subject, reason, detail, place)
    ORDER BY new.place;
END
$$;
