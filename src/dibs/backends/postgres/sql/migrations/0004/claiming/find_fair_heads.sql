-- The most urgent lane of the tenant whose turn it is, in each of these fair queues.
CREATE FUNCTION {schema}.find_fair_heads(
    lane_queues text[], lane_types text[], only_tenant text, passed uuid[], fair text[]
) RETURNS SETOF {schema}.lanes
LANGUAGE plpgsql
AS $$
BEGIN
    RETURN QUERY
    SELECT next.*
    FROM (SELECT DISTINCT unnest(lane_queues) AS queue) AS asked
    CROSS JOIN LATERAL (
        SELECT lanes.*
        FROM unnest(lane_queues, lane_types) AS way (queue, job_type)
        JOIN lanes ON lanes.queue = way.queue AND lanes.job_type = way.job_type
        LEFT JOIN barriers ON barriers.queue = lanes.queue AND barriers.job_type = lanes.job_type
            AND barriers.barrier = lanes.barrier
        LEFT JOIN turns ON turns.queue = lanes.queue AND turns.tenant = lanes.tenant
        WHERE way.queue = asked.queue AND (barriers.until IS NULL OR barriers.until <= clock())
            AND (only_tenant IS NULL OR lanes.tenant = only_tenant) AND lanes.lane <> ALL (passed)
        ORDER BY
            greatest(turns.turn, (SELECT turn FROM turns WHERE turns.queue = asked.queue AND turns.tenant = ''), 0),
            lanes.tenant, lanes.priority DESC, lanes.seq
        LIMIT 1
    ) AS next
    WHERE asked.queue = ANY (fair);
END
$$;
