-- Lets large claims of the same lanes go one after the other: side by side, each would look in vain at every row that the
-- other one takes, which costs more than taking it. Nothing depends on it, so nobody waits for long.
CREATE FUNCTION {schema}.stand_in_line(lane_queues text[], lane_types text[], wanted integer) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    many CONSTANT integer := 100;
    line CONSTANT bigint := lock_of(format('line:%s:%s', lane_queues, lane_types));
BEGIN
    -- Not in a transaction that stays open after the claim, and not for a few jobs: those would wait for a commit each.
    IF wanted >= many AND NOT is_caller() AND NOT pg_try_advisory_xact_lock(line)
        AND has_many(lane_queues, lane_types, many) THEN
        PERFORM wait_in_line(line);
    END IF;
END
$$;

-- Whether some of these lanes has so many jobs that are ready.
CREATE FUNCTION {schema}.has_many(lane_queues text[], lane_types text[], many integer) RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM unnest(lane_queues, lane_types) AS lane (queue, job_type)
        CROSS JOIN LATERAL (
            SELECT FROM jobs
            WHERE jobs.ready AND jobs.queue = lane.queue AND jobs.job_type = lane.job_type
            ORDER BY jobs.priority DESC, jobs.seq
            OFFSET many - 1
            LIMIT 1
        ) AS last_of_many
    );
END
$$;

CREATE FUNCTION {schema}.wait_in_line(line bigint) RETURNS void
LANGUAGE plpgsql
SET lock_timeout = '200ms'
AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(line);
EXCEPTION WHEN lock_not_available THEN
    NULL;
END
$$;
