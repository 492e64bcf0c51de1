-- Forgets finished jobs and their attempts, oldest first, and tells how many. An operator's name goes on record.
CREATE FUNCTION {schema}.prune_jobs(
    older_micros bigint, states text[], job_types text[], only_tenant text, wanted integer, is_dry boolean,
    act_actor text, act_reason text
) RETURNS integer
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
SET jit = off
-- Planned for the states asked: without succeeded among them, a small partial index will do.
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
    chosen text[];
BEGIN
    chosen := ARRAY (
        SELECT id FROM finished_jobs
        WHERE finished_at < clock() - micros(older_micros) AND state = ANY (states)
            AND (job_types IS NULL OR job_type = ANY (job_types))
            AND (only_tenant IS NULL OR tenant = only_tenant)
        ORDER BY finished_at, seq
        LIMIT wanted
        FOR UPDATE SKIP LOCKED
    );
    IF is_dry THEN
        RETURN cardinality(chosen);
    END IF;
    DELETE FROM attempts WHERE job_id = ANY (chosen);
    DELETE FROM finished_jobs WHERE id = ANY (chosen);
    IF act_actor IS NOT NULL THEN
        INSERT INTO audit (at, tenant, actor, action, subject, reason, detail)
        VALUES (
            clock(), coalesce(only_tenant, '*'), act_actor, 'JOBS_PURGED', 'jobs', act_reason,
            json_build_object('count', cardinality(chosen))
        );
    END IF;
    RETURN cardinality(chosen);
END
$$;
