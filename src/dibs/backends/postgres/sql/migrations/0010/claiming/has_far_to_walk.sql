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
    -- Mostly they have been passed by already, and marked: then this takes no time.
    began := clock_timestamp();
    PERFORM FROM unnest(lane_queues, lane_types) AS lane (queue, job_type)
    CROSS JOIN LATERAL (
        SELECT FROM jobs
        WHERE jobs.ready AND jobs.queue = lane.queue AND jobs.job_type = lane.job_type
        ORDER BY jobs.priority DESC, jobs.seq
        LIMIT 1
    ) AS head;
    RETURN clock_timestamp() - began > interval '3 ms';
END
$$;
