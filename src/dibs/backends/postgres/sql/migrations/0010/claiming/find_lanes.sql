-- The lanes (queue and job type) to look into. NULL means any: then one step of the index finds one lane.
CREATE OR REPLACE FUNCTION {schema}.find_lanes(
    queues text[], job_types text[], OUT lane_queues text[], OUT lane_types text[]
)
LANGUAGE plpgsql
AS $$
DECLARE
    last_queue text := '';
    last_type text := '';
BEGIN
    IF queues IS NOT NULL AND job_types IS NOT NULL THEN
        SELECT array_agg(q), array_agg(t) INTO lane_queues, lane_types
        FROM unnest(queues) AS q CROSS JOIN unnest(job_types) AS t;
    ELSIF has_floors() THEN
        SELECT * INTO lane_queues, lane_types FROM find_lanes_beside_floors(queues, job_types);
    ELSIF job_types IS NOT NULL THEN
        LOOP
            SELECT jobs.queue INTO last_queue FROM jobs
            WHERE jobs.ready AND jobs.queue > last_queue
            ORDER BY jobs.queue
            LIMIT 1;
            EXIT WHEN NOT FOUND;
            lane_queues := lane_queues || array_fill(last_queue, ARRAY[cardinality(job_types)]);
            lane_types := lane_types || job_types;
        END LOOP;
    ELSIF queues IS NOT NULL THEN
        FOREACH last_queue IN ARRAY queues LOOP
            last_type := '';
            LOOP
                SELECT jobs.job_type INTO last_type FROM jobs
                WHERE jobs.ready AND jobs.queue = last_queue AND jobs.job_type > last_type
                ORDER BY jobs.job_type
                LIMIT 1;
                EXIT WHEN NOT FOUND;
                lane_queues := lane_queues || last_queue;
                lane_types := lane_types || last_type;
            END LOOP;
        END LOOP;
    ELSE
        LOOP
            SELECT jobs.queue, jobs.job_type INTO last_queue, last_type FROM jobs
            WHERE jobs.ready AND (jobs.queue, jobs.job_type) > (last_queue, last_type)
            ORDER BY jobs.queue, jobs.job_type
            LIMIT 1;
            EXIT WHEN NOT FOUND;
            lane_queues := lane_queues || last_queue;
            lane_types := lane_types || last_type;
        END LOOP;
    END IF;
END
$$;
