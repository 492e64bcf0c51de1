-- Locks the most urgent free jobs of several lanes, and not one more than wanted.
CREATE FUNCTION {schema}.pick_jobs(
    lane_queues text[], lane_types text[], only_tenant text, wanted integer
) RETURNS text[]
LANGUAGE plpgsql
AS $$
DECLARE
    picked text[];
    seen bigint;
    missing integer;
BEGIN
    -- First see, without locks, how many of the most urgent jobs each lane has; then lock that many in each.
    WITH urgent AS MATERIALIZED (
        SELECT lane.queue, lane.job_type
        FROM unnest(lane_queues, lane_types) AS lane (queue, job_type)
        CROSS JOIN LATERAL (
            SELECT jobs.priority, jobs.seq FROM jobs
            WHERE jobs.ready AND jobs.queue = lane.queue AND jobs.job_type = lane.job_type
                AND (only_tenant IS NULL OR jobs.tenant = only_tenant)
            ORDER BY jobs.priority DESC, jobs.seq
            LIMIT wanted
        ) AS best
        ORDER BY best.priority DESC, best.seq
        LIMIT wanted
    ), shares AS MATERIALIZED (
        SELECT queue, job_type, count(*) AS share FROM urgent GROUP BY queue, job_type
    ), locked AS MATERIALIZED (
        SELECT free.id, free.priority, free.seq
        FROM shares
        CROSS JOIN LATERAL (
            SELECT jobs.id, jobs.priority, jobs.seq FROM jobs
            WHERE jobs.ready AND jobs.queue = shares.queue AND jobs.job_type = shares.job_type
                AND (only_tenant IS NULL OR jobs.tenant = only_tenant)
            ORDER BY jobs.priority DESC, jobs.seq
            LIMIT shares.share
            FOR UPDATE SKIP LOCKED
        ) AS free
    )
    SELECT (SELECT array_agg(id ORDER BY priority DESC, seq) FROM locked), (SELECT count(*) FROM urgent)
    INTO picked, seen;
    picked := coalesce(picked, '{}');
    IF cardinality(picked) = seen AND seen < wanted THEN
        RETURN picked;
    END IF;
    -- Others were quicker in some lane: take what is free anywhere, rather than nothing.
    FOR lane IN 1 .. cardinality(lane_queues) LOOP
        missing := wanted - cardinality(picked);
        EXIT WHEN missing <= 0;
        picked := picked || pick_lane(lane_queues[lane], lane_types[lane], only_tenant, missing, picked);
    END LOOP;
    RETURN picked;
END
$$;
