-- The lane whose turn it is, as find_candidate has it, but one that is held back never stands for its fair queue: between
-- queues only those who may run are compared. A barrier tells that this one may not, whatever the others are.
CREATE FUNCTION {schema}.find_next(
    lane_queues text[], lane_types text[], only_tenant text, passed uuid[], fair text[],
    INOUT ring {schema}.ring_place[], OUT candidate {schema}.lanes,
    OUT barrier text, OUT subject text, OUT until timestamptz
)
LANGUAGE plpgsql
AS $$
DECLARE
    next record;
    obstacle record;
BEGIN
    SELECT best.* INTO candidate FROM find_heads(lane_queues, lane_types, only_tenant, passed, fair) AS best
    ORDER BY best.priority DESC, best.seq
    LIMIT 1;
    FOR asked IN 1 .. cardinality(fair) LOOP
        CONTINUE WHEN fair[asked] <> ALL (lane_queues);
        next := find_turn(fair[asked], lane_types, passed, ring);
        ring := next.ring;
        CONTINUE WHEN (next.candidate).lane IS NULL;
        obstacle := find_obstacle(next.candidate);
        IF obstacle.barrier IS NOT NULL THEN
            candidate := next.candidate;
            barrier := obstacle.barrier;
            subject := obstacle.subject;
            until := obstacle.until;
            RETURN;
        END IF;
        IF candidate.lane IS NULL OR (-(next.candidate).priority::bigint, (next.candidate).seq)
            < (-candidate.priority::bigint, candidate.seq) THEN
            candidate := next.candidate;
        END IF;
    END LOOP;
END
$$;
