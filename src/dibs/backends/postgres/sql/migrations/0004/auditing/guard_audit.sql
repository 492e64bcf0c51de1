-- The log only grows. Its owner forgets sealed entries through forget_sealed, which says so for its own transaction.
CREATE FUNCTION {schema}.guard_audit() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('dibs.forgetting', true) = TG_TABLE_SCHEMA AND pg_has_role(
        current_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE'
    ) THEN
        RETURN NULL;
    END IF;
    RAISE insufficient_privilege USING MESSAGE = format(
        'entries of %I.%I are kept as they were written: %s is refused', TG_TABLE_SCHEMA, TG_TABLE_NAME, TG_OP
    );
END
$$;

CREATE TRIGGER guard_audit BEFORE UPDATE OR DELETE OR TRUNCATE ON {schema}.audit
FOR EACH STATEMENT EXECUTE FUNCTION {schema}.guard_audit();
