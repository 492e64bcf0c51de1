-- Gives jobs that are ready to a worker, where nothing is governed.
CREATE FUNCTION {schema}.give_plain_jobs(
    worker text, wanted integer, lease_micros bigint, queues text[], job_types text[], only_tenant text
) RETURNS SETOF {schema}.jobs
LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
    picked text[];
    lanes record;
BEGIN
    lanes := find_lanes(queues, job_types);
    IF lanes.lane_queues IS NULL THEN
        RETURN;
    ELSIF cardinality(lanes.lane_queues) = 1 THEN
        picked := pick_lane(lanes.lane_queues[1], lanes.lane_types[1], only_tenant, wanted, NULL);
    ELSE
        picked := pick_jobs(lanes.lane_queues, lanes.lane_types, only_tenant, wanted);
    END IF;
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
