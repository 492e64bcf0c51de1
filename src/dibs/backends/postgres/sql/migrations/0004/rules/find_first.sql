-- The job that stands first where another one waits; NULL: that one does, or it does not stand there yet.
CREATE FUNCTION {schema}.find_first(job_id text) RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = {schema}, pg_temp
SET enable_seqscan = off
AS $$
DECLARE
    job record;
    first text;
BEGIN
    SELECT queue, job_type, lane, ready INTO job FROM jobs WHERE id = job_id;
    IF job.lane IS NOT NULL THEN
        SELECT id INTO first FROM jobs WHERE lane = job.lane ORDER BY priority DESC, seq LIMIT 1;
    ELSIF job.ready THEN
        SELECT id INTO first FROM jobs WHERE ready AND queue = job.queue AND job_type = job.job_type
        ORDER BY priority DESC, seq
        LIMIT 1;
    END IF;
    RETURN nullif(first, job_id);
END
$$;
