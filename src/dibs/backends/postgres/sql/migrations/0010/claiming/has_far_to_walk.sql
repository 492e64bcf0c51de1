-- Whether a claim of these lanes would walk over so many dead rows that it had better begin at the floors, or lay some.
CREATE FUNCTION {schema}.has_far_to_walk(lane_queues text[], lane_types text[]) RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
    many_dead CONSTANT bigint := 20000;
    began timestamptz;
BEGIN
    IF pg_stat_get_dead_tuples('jobs'::regclass) < many_dead THEN
        RETURN false;
    ELSIF has_floors() THEN
        RETURN true;
    END IF;
    -- Twice: the first look marks the rows that nobody can see any more, and the second passes over them in no time.
    -- Nor is it a busy machine that is slow, which would have to stop us both times.
    FOR look IN 1 .. 2 LOOP
        began := clock_timestamp();
        PERFORM FROM unnest(lane_queues, lane_types) AS lane (queue, job_type)
        CROSS JOIN LATERAL (
            SELECT FROM jobs
            WHERE jobs.ready AND jobs.queue = lane.queue AND jobs.job_type = lane.job_type
            ORDER BY jobs.priority DESC, jobs.seq
            LIMIT 1
        ) AS head;
        IF clock_timestamp() - began <= interval '3 ms' THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN true;
END
$$;
