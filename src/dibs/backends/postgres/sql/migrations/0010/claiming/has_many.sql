-- Whether some of these lanes has so many jobs that are ready; where that takes long to find out, it may well.
CREATE OR REPLACE FUNCTION {schema}.has_many(lane_queues text[], lane_types text[], many integer) RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
    RETURN has_floors() OR EXISTS (
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
