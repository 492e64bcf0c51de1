-- The tenants of fair queues that have lanes before which no barrier stands, those whose turn comes first. Only they are
-- in the ring: whoever is held back stands behind a barrier, and is not looked at.
CREATE FUNCTION {schema}.find_ring(
    lane_queues text[], lane_types text[], only_tenant text, fair text[], most integer
) RETURNS {schema}.ring_place[]
LANGUAGE plpgsql
AS $$
BEGIN
    RETURN ARRAY (
        SELECT ROW (asked.queue, first.tenant, first.place)::ring_place
        FROM (SELECT DISTINCT unnest(lane_queues) AS queue) AS asked
        CROSS JOIN LATERAL (
            SELECT waiting.tenant, greatest(
                turns.turn, (SELECT turn FROM turns WHERE turns.queue = asked.queue AND turns.tenant = ''), 0
            ) AS place
            FROM (
                SELECT DISTINCT met.tenant
                FROM (SELECT DISTINCT unnest(lane_types) AS job_type) AS way
                CROSS JOIN LATERAL open_ways(asked.queue, way.job_type) AS open (barrier)
                CROSS JOIN LATERAL list_tenants(asked.queue, way.job_type, open.barrier) AS met (tenant)
                WHERE only_tenant IS NULL OR met.tenant = only_tenant
            ) AS waiting
            LEFT JOIN turns ON turns.queue = asked.queue AND turns.tenant = waiting.tenant
            ORDER BY place, waiting.tenant COLLATE "C"
            LIMIT most
        ) AS first
        WHERE asked.queue = ANY (fair)
    );
END
$$;

-- The most urgent lane of the tenant in the ring whose turn it is; who turns out to have none leaves the ring.
CREATE FUNCTION {schema}.find_turn(
    its_queue text, lane_types text[], passed uuid[], INOUT ring {schema}.ring_place[], OUT candidate {schema}.lanes
)
LANGUAGE plpgsql
AS $$
DECLARE
    reached bigint := coalesce((SELECT turn FROM turns WHERE queue = its_queue AND tenant = ''), 0);
    next record;
BEGIN
    LOOP
        SELECT tenant, number INTO next FROM unnest(ring) WITH ORDINALITY AS one (queue, tenant, place, number)
        WHERE one.queue = its_queue
        ORDER BY greatest(one.place, reached), one.tenant COLLATE "C"
        LIMIT 1;
        EXIT WHEN NOT FOUND;
        SELECT head.* INTO candidate
        FROM (SELECT DISTINCT unnest(lane_types) AS job_type) AS way
        CROSS JOIN LATERAL open_ways(its_queue, way.job_type) AS open (barrier)
        CROSS JOIN LATERAL (
            SELECT lanes.* FROM lanes
            WHERE lanes.queue = its_queue AND lanes.job_type = way.job_type AND lanes.barrier = open.barrier
                AND lanes.tenant = next.tenant AND lanes.lane <> ALL (passed)
            ORDER BY lanes.priority DESC, lanes.seq
            LIMIT 1
        ) AS head
        ORDER BY head.priority DESC, head.seq
        LIMIT 1;
        EXIT WHEN FOUND;
        ring := ring[: next.number - 1] || ring[next.number + 1 :];
    END LOOP;
END
$$;
