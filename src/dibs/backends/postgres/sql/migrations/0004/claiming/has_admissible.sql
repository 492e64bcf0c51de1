-- Whether a governed job may run now. Lanes that may not are put behind their barriers, as a claim does.
CREATE FUNCTION {schema}.has_admissible(queues text[], job_types text[], only_tenant text) RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
    ways record := find_governed_lanes(queues, job_types);
    passed uuid[] := '{}';
    waiting lanes;
    head record;
    obstacle record;
BEGIN
    LOOP
        waiting := find_candidate(ways.lane_queues, ways.lane_types, only_tenant, passed, '{}');
        IF waiting.lane IS NULL THEN
            RETURN false;
        END IF;
        head := find_head(waiting);
        IF head.id IS NULL THEN
            passed := passed || waiting.lane;
            CONTINUE;
        END IF;
        obstacle := find_obstacle(waiting);
        IF obstacle.barrier IS NULL THEN
            RETURN true;
        END IF;
        PERFORM park_lane(waiting, obstacle.barrier, obstacle.subject, obstacle.until);
    END LOOP;
END
$$;
