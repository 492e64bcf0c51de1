-- Gives one waiting job to a worker, and its id back; nothing where somebody else was quicker.
CREATE FUNCTION {schema}.start_job(job_id text, worker text, lease_micros bigint) RETURNS text[]
LANGUAGE plpgsql
AS $$
DECLARE
    free text;
    started text[];
BEGIN
    SELECT id INTO free FROM jobs WHERE id = job_id AND (ready OR lane IS NOT NULL) FOR UPDATE SKIP LOCKED;
    UPDATE jobs
    SET state = 'running', ready = false, lane = NULL, permit = source IS NOT NULL,
        lease_token = nextval('tokens'), locked_by = worker, locked_at = clock(), heartbeat_at = clock(),
        lease_expires_at = clock() + micros(lease_micros), started_at = coalesce(started_at, clock())
    WHERE id = free
    RETURNING ARRAY[id] INTO started;
    RETURN coalesce(started, '{}');
END
$$;

-- Gives plain jobs that are free, where others were quicker with those that were meant: rather these than nothing.
CREATE FUNCTION {schema}.start_spare(
    worker text, wanted integer, lease_micros bigint, queues text[], job_types text[], only_tenant text
) RETURNS text[]
LANGUAGE plpgsql
AS $$
DECLARE
    has_rules boolean := has_rules();
    spare text;
    given text[] := '{}';
BEGIN
    FOREACH spare IN ARRAY pick_plain(queues, job_types, only_tenant, wanted, has_rules) LOOP
        IF find_governed(ARRAY[spare], has_rules) = '{}' THEN
            given := given || start_job(spare, worker, lease_micros);
        END IF;
    END LOOP;
    RETURN given;
END
$$;
