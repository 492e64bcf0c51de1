-- After a copy, which knows no rules: sends those of its jobs that are governed into their lanes.
CREATE FUNCTION {schema}.settle_copied(ids text[]) RETURNS void
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
DECLARE
    caught text[] := ARRAY (
        SELECT id FROM jobs
        WHERE id = ANY (ids) AND ready AND (
            source IS NOT NULL OR concurrency_key IS NOT NULL OR (has_rules() AND is_ruled(tenant, queue))
        )
    );
BEGIN
    IF caught <> '{}' THEN
        PERFORM relane_jobs(NULL, NULL, caught, 0);
    END IF;
END
$$;
