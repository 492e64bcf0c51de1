-- When something happened is the store's to say, not the writer's. All of ours write the instant of their statement.
CREATE FUNCTION {schema}.guard_time() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    RAISE insufficient_privilege USING
        MESSAGE = format('an entry of %I.%I is of now, not of %s', TG_TABLE_SCHEMA, TG_TABLE_NAME, NEW.at),
        HINT = format('Write %I.clock() as its time.', TG_TABLE_SCHEMA);
END
$$;

CREATE TRIGGER guard_time BEFORE INSERT ON {schema}.audit
FOR EACH ROW WHEN (NEW.at <> {schema}.clock()) EXECUTE FUNCTION {schema}.guard_time();
