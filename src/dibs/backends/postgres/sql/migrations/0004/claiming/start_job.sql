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
