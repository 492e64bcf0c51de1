-- After a copy, which knows no rules: sends those of its jobs that are governed into their lanes.
CREATE FUNCTION {schema}.settle_copied(ids text[]) RETURNS void
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
DECLARE
    caught text[] := find_governed(ids, has_rules());
BEGIN
    IF caught <> '{}' THEN
        PERFORM relane_jobs(NULL, NULL, caught, 0);
    END IF;
END
$$;
