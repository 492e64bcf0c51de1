-- The plain lanes to look into, without those that a gate shuts.
CREATE FUNCTION {schema}.find_open_lanes(
    queues text[], job_types text[], has_rules boolean, OUT lane_queues text[], OUT lane_types text[]
)
LANGUAGE plpgsql
AS $$
BEGIN
    SELECT * INTO lane_queues, lane_types FROM find_lanes(queues, job_types);
    IF has_rules AND lane_queues IS NOT NULL AND EXISTS (SELECT FROM rules WHERE kind = 'gate') THEN
        SELECT array_agg(lane.queue), array_agg(lane.job_type) INTO lane_queues, lane_types
        FROM unnest(lane_queues, lane_types) AS lane (queue, job_type)
        WHERE (find_gate(lane.queue, lane.job_type, NULL, NULL)).gate IS NULL;
    END IF;
END
$$;
