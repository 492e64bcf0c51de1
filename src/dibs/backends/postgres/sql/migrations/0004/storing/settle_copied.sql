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

-- What a copy has still to do once its rows are in. Tells when they came, and an id that a finished job has already.
CREATE FUNCTION {schema}.finish_copy(
    id_lines text, first_id text, is_governed boolean, told_queues text[], OUT stored_at timestamptz, OUT duplicate text
)
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
BEGIN
    -- Ids that were just made come after those of all finished jobs: then one look is enough.
    IF EXISTS (SELECT FROM finished_jobs WHERE id >= first_id) THEN
        SELECT id INTO duplicate FROM finished_jobs WHERE id = ANY (string_to_array(id_lines, E'\n')) LIMIT 1;
        IF FOUND THEN
            RETURN;
        END IF;
    END IF;
    IF is_governed OR has_rules() THEN
        PERFORM settle_copied(string_to_array(id_lines, E'\n'));
    END IF;
    IF told_queues IS NOT NULL THEN
        PERFORM tell(told_queues);
    END IF;
    SELECT created_at INTO stored_at FROM jobs WHERE id = first_id;
END
$$;
