-- The same where lanes have floors: these are taken as they are, since to find out whether they have jobs is what takes
-- long; between them the index is asked as always.
CREATE FUNCTION {schema}.find_lanes_beside_floors(
    queues text[], job_types text[], OUT lane_queues text[], OUT lane_types text[]
)
LANGUAGE plpgsql
AS $$
DECLARE
    last_queue text := '';
    last_type text := '';
    next record;
    found_queues text[];
    found_types text[];
BEGIN
    FOR next IN
        (SELECT DISTINCT queue, job_type FROM floors ORDER BY queue, job_type) UNION ALL SELECT NULL, NULL
    LOOP
        LOOP
            IF next.queue IS NULL THEN
                SELECT jobs.queue, jobs.job_type INTO last_queue, last_type FROM jobs
                WHERE jobs.ready AND (jobs.queue, jobs.job_type) > (last_queue, last_type)
                ORDER BY jobs.queue, jobs.job_type
                LIMIT 1;
            ELSE
                SELECT jobs.queue, jobs.job_type INTO last_queue, last_type FROM jobs
                WHERE jobs.ready AND (jobs.queue, jobs.job_type) > (last_queue, last_type)
                    AND (jobs.queue, jobs.job_type) < (next.queue, next.job_type)
                ORDER BY jobs.queue, jobs.job_type
                LIMIT 1;
            END IF;
            EXIT WHEN NOT FOUND;
            found_queues := found_queues || last_queue;
            found_types := found_types || last_type;
        END LOOP;
        IF next.queue IS NOT NULL THEN
            found_queues := found_queues || next.queue::text;
            found_types := found_types || next.job_type::text;
        END IF;
        last_queue := next.queue;
        last_type := next.job_type;
    END LOOP;
    SELECT array_agg(lane.queue), array_agg(lane.job_type) INTO lane_queues, lane_types
    FROM unnest(found_queues, found_types) AS lane (queue, job_type)
    WHERE (queues IS NULL OR lane.queue = ANY (queues)) AND (job_types IS NULL OR lane.job_type = ANY (job_types));
END
$$;
