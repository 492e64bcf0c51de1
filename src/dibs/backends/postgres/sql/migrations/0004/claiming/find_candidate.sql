-- The lane whose turn it is: the most urgent one before which no barrier stands; in a fair queue, of the tenant that is
-- next in the ring. A barrier whose time is over, or of which there was news, lets the first one behind it try again.
CREATE FUNCTION {schema}.find_candidate(
    lane_queues text[], lane_types text[], only_tenant text, passed uuid[], fair text[],
    INOUT ring {schema}.ring_place[], OUT candidate {schema}.lanes
)
LANGUAGE plpgsql
AS $$
DECLARE
    next record;
BEGIN
    SELECT best.* INTO candidate FROM find_heads(lane_queues, lane_types, only_tenant, passed, fair) AS best
    ORDER BY best.priority DESC, best.seq
    LIMIT 1;
    FOR asked IN 1 .. cardinality(fair) LOOP
        IF fair[asked] = ANY (lane_queues) THEN
            next := find_turn(fair[asked], lane_types, passed, ring);
            ring := next.ring;
            IF (next.candidate).lane IS NOT NULL AND (candidate.lane IS NULL OR (-(next.candidate).priority::bigint, (next.candidate).seq)
                < (-candidate.priority::bigint, candidate.seq)) THEN
                candidate := next.candidate;
            END IF;
        END IF;
    END LOOP;
END
$$;

-- The barriers that let somebody try again. More of them than so many are for the next claims.
CREATE FUNCTION {schema}.open_ways(asked_queue text, asked_type text) RETURNS SETOF text
LANGUAGE sql STABLE
AS $$
    SELECT '' UNION ALL (
        SELECT barrier FROM {schema}.barriers
        WHERE queue = asked_queue AND job_type = asked_type AND until <= {schema}.clock()
        ORDER BY until
        LIMIT 64
    )
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
    CROSS JOIN LATERAL open_ways(asked.queue, asked.job_type) AS way (barrier)
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
