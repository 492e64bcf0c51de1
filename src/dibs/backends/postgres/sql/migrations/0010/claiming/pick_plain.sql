-- Locks the most urgent free jobs of the plain lanes that no gate shuts.
CREATE OR REPLACE FUNCTION {schema}.pick_plain(
    queues text[], job_types text[], only_tenant text, wanted integer, has_rules boolean
) RETURNS text[]
LANGUAGE plpgsql
AS $$
DECLARE
    lanes record;
BEGIN
    lanes := find_open_lanes(queues, job_types, has_rules);
    IF lanes.lane_queues IS NULL THEN
        RETURN '{}';
    ELSIF has_far_to_walk(lanes.lane_queues, lanes.lane_types) THEN
        RETURN pick_carefully(lanes.lane_queues, lanes.lane_types, only_tenant, wanted);
    ELSIF cardinality(lanes.lane_queues) = 1 THEN
        RETURN pick_lane(lanes.lane_queues[1], lanes.lane_types[1], only_tenant, wanted, NULL);
    END IF;
    RETURN pick_jobs(lanes.lane_queues, lanes.lane_types, only_tenant, wanted);
END
$$;
