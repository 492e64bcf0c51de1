-- The lane whose turn it is: the most urgent one before which no barrier stands; in a fair queue, of the tenant that is
-- next. A barrier whose time is over, or of which there was news, lets the first one behind it try again.
CREATE FUNCTION {schema}.find_candidate(
    lane_queues text[], lane_types text[], only_tenant text, passed uuid[], fair text[]
) RETURNS {schema}.lanes
LANGUAGE plpgsql
AS $$
DECLARE
    found lanes;
BEGIN
    IF fair = '{}' THEN
        SELECT best.* INTO found FROM find_heads(lane_queues, lane_types, only_tenant, passed, '{}') AS best
        ORDER BY best.priority DESC, best.seq
        LIMIT 1;
    ELSE
        SELECT (best.head).* INTO found
        FROM (
            SELECT heads AS head FROM find_heads(lane_queues, lane_types, only_tenant, passed, fair) AS heads
            UNION ALL
            SELECT heads FROM find_fair_heads(lane_queues, lane_types, only_tenant, passed, fair) AS heads
        ) AS best
        ORDER BY (best.head).priority DESC, (best.head).seq
        LIMIT 1;
    END IF;
    RETURN found;
END
$$;

-- The first lane of each way that leads to a claim, but not of these queues.
CREATE FUNCTION {schema}.find_heads(
    lane_queues text[], lane_types text[], only_tenant text, passed uuid[], but_not text[]
) RETURNS SETOF {schema}.lanes
LANGUAGE plpgsql
AS $$
BEGIN
    RETURN QUERY
    SELECT head.*
    FROM unnest(lane_queues, lane_types) AS asked (queue, job_type)
    CROSS JOIN LATERAL (
        SELECT '' AS barrier
        UNION ALL
        SELECT barriers.barrier FROM barriers
        WHERE barriers.queue = asked.queue AND barriers.job_type = asked.job_type AND barriers.until <= clock()
    ) AS way
    CROSS JOIN LATERAL (
        SELECT lanes.* FROM lanes
        WHERE lanes.queue = asked.queue AND lanes.job_type = asked.job_type AND lanes.barrier = way.barrier
            AND (only_tenant IS NULL OR lanes.tenant = only_tenant) AND lanes.lane <> ALL (passed)
        ORDER BY lanes.priority DESC, lanes.seq
        LIMIT 1
    ) AS head
    WHERE asked.queue <> ALL (but_not);
END
$$;
