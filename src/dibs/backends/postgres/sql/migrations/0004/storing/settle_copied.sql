-- After a copy, which knows no rules: sends those of its jobs that are governed into their lanes.
CREATE FUNCTION {schema}.settle_copied(ids text[]) RETURNS void
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
SET plan_cache_mode = force_generic_plan
SET jit = off
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
    caught text[] := find_governed(ids, has_rules());
BEGIN
    IF caught <> '{}' THEN
        PERFORM relane_jobs(NULL, NULL, caught, 0);
    END IF;
END
$$;
