-- The queues and job types of the directory that are asked for; one step of the index finds one pair.
CREATE FUNCTION {schema}.find_governed_lanes(
    queues text[], job_types text[], OUT lane_queues text[], OUT lane_types text[]
)
LANGUAGE plpgsql
AS $$
DECLARE
    last_queue text := '';
    last_type text := '';
BEGIN
    LOOP
        SELECT lanes.queue, lanes.job_type INTO last_queue, last_type FROM lanes
        WHERE (lanes.queue, lanes.job_type) > (last_queue, last_type)
        ORDER BY lanes.queue, lanes.job_type
        LIMIT 1;
        EXIT WHEN NOT FOUND;
        IF (queues IS NULL OR last_queue = ANY (queues)) AND (job_types IS NULL OR last_type = ANY (job_types)) THEN
            lane_queues := lane_queues || last_queue;
            lane_types := lane_types || last_type;
        END IF;
    END LOOP;
END
$$;

-- Whether a claim has to pass the door.
CREATE FUNCTION {schema}.has_governed(queues text[], job_types text[]) RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
    RETURN (find_governed_lanes(queues, job_types)).lane_queues IS NOT NULL
        OR EXISTS (
            SELECT FROM arrivals
            WHERE lane IS NOT NULL
                AND (queues IS NULL OR queue = ANY (queues)) AND (job_types IS NULL OR job_type = ANY (job_types))
        );
END
$$;
