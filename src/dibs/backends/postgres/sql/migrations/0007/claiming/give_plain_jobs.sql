-- Gives jobs that are ready to a worker, where nothing is governed.
CREATE OR REPLACE FUNCTION {schema}.give_plain_jobs(
    worker text, wanted integer, lease_micros bigint, queues text[], job_types text[], only_tenant text
) RETURNS SETOF {schema}.jobs
LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
    picked text[];
    lanes record;
    given integer;
BEGIN
    lanes := find_lanes(queues, job_types);
    IF lanes.lane_queues IS NULL THEN
        RETURN;
    END IF;
    PERFORM stand_in_line(lanes.lane_queues, lanes.lane_types, wanted);
    IF cardinality(lanes.lane_queues) = 1 THEN
        RETURN QUERY
        SELECT * FROM give_lane(lanes.lane_queues[1], lanes.lane_types[1], only_tenant, worker, wanted, lease_micros);
        GET DIAGNOSTICS given = ROW_COUNT;
        IF given < wanted THEN
            -- A job that was replaced while we looked stands in another place than we saw: it is locked, but was not given.
            RETURN QUERY
            SELECT * FROM give_lane(
                lanes.lane_queues[1], lanes.lane_types[1], only_tenant, worker, wanted - given, lease_micros
            );
        END IF;
        RETURN;
    END IF;
    picked := pick_jobs(lanes.lane_queues, lanes.lane_types, only_tenant, wanted);
    IF picked = '{}' THEN
        RETURN;
    END IF;
    RETURN QUERY
    UPDATE jobs
    SET state = 'running', ready = false, lease_token = nextval('tokens'), locked_by = worker, locked_at = clock(),
        heartbeat_at = clock(), lease_expires_at = clock() + micros(lease_micros),
        started_at = coalesce(started_at, clock())
    FROM unnest(picked) AS chosen (id)
    WHERE jobs.id BETWEEN chosen.id AND chosen.id
    RETURNING jobs.*;
END
$$;
