-- Forgets a tenant's entries up to a position, and the seals before it; the seal there stays as the anchor.
CREATE FUNCTION {schema}.forget_sealed(its_tenant text, through bigint) RETURNS bigint
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
DECLARE
    forgotten bigint;
BEGIN
    PERFORM set_config('dibs.forgetting', current_schema(), true);
    DELETE FROM audit USING seals
    WHERE seals.tenant = its_tenant AND seals.position <= through AND audit.sequence = seals.sequence;
    GET DIAGNOSTICS forgotten = ROW_COUNT;
    DELETE FROM seals WHERE tenant = its_tenant AND position < through;
    PERFORM set_config('dibs.forgetting', '', true);
    RETURN forgotten;
END
$$;
REVOKE EXECUTE ON FUNCTION {schema}.forget_sealed(text, bigint) FROM PUBLIC;
