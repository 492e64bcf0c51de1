-- The tenants of fair queues that have lanes before which no barrier stands, those whose turn comes first. Only they are
-- in the ring: whoever is held back stands behind a barrier, and is not looked at.
CREATE OR REPLACE FUNCTION {schema}.find_ring(
    lane_queues text[], lane_types text[], only_tenant text, fair text[], most integer
) RETURNS {schema}.ring_place[]
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM open_ring(asked.queue)
    FROM (SELECT DISTINCT unnest(lane_queues) AS queue) AS asked
    WHERE asked.queue = ANY (fair)
        AND NOT EXISTS (SELECT FROM ring WHERE ring.queue = asked.queue AND ring.tenant = '');
    RETURN ARRAY (
        SELECT ROW (asked.queue, first.tenant, first.place)::ring_place
        FROM (SELECT DISTINCT unnest(lane_queues) AS queue) AS asked
        CROSS JOIN LATERAL (
            SELECT waiting.tenant, greatest(
                had.turn, (SELECT turn FROM turns WHERE turns.queue = asked.queue AND turns.tenant = ''), 0
            ) AS place
            FROM (
                SELECT met.tenant
                FROM (SELECT DISTINCT unnest(lane_types) AS job_type) AS way
                CROSS JOIN LATERAL list_next(asked.queue, way.job_type, only_tenant, most) AS met (tenant)
                UNION
                SELECT met.tenant
                FROM (SELECT DISTINCT unnest(lane_types) AS job_type) AS way
                CROSS JOIN LATERAL open_ways(asked.queue, way.job_type) AS open (barrier)
                CROSS JOIN LATERAL list_tenants(asked.queue, way.job_type, open.barrier) AS met (tenant)
                WHERE open.barrier <> '' AND (only_tenant IS NULL OR met.tenant = only_tenant)
            ) AS waiting
            LEFT JOIN LATERAL (
                SELECT turn FROM turns WHERE turns.queue = asked.queue AND turns.tenant = waiting.tenant OFFSET 0
            ) AS had ON true
            ORDER BY place, waiting.tenant COLLATE "C"
            LIMIT most
        ) AS first
        WHERE asked.queue = ANY (fair)
    );
END
$$;

-- Those of the ring whose turn comes first, no more of them than asked for. Who has nothing any more leaves it.
CREATE FUNCTION {schema}.list_next(its_queue text, its_type text, only_tenant text, most integer) RETURNS SETOF text
LANGUAGE plpgsql
AS $$
DECLARE
    reached CONSTANT bigint := coalesce((SELECT turn FROM turns WHERE queue = its_queue AND tenant = ''), 0);
    levels CONSTANT bigint[] := list_levels(its_queue, its_type, reached);
    at_once integer := most;
    met text[];
    gone text[];
BEGIN
    LOOP
        IF only_tenant IS NOT NULL THEN
            met := ARRAY (
                SELECT tenant FROM ring WHERE queue = its_queue AND tenant = only_tenant AND job_type = its_type
            );
        ELSE
            met := ARRAY (
                SELECT one.tenant
                FROM (
                    SELECT here.tenant, reached AS place
                    FROM unnest(levels) AS level
                    CROSS JOIN LATERAL (
                        SELECT ring.tenant FROM ring
                        WHERE ring.queue = its_queue AND ring.job_type = its_type AND ring.turn = level
                        ORDER BY ring.tenant
                        LIMIT at_once
                    ) AS here
                    UNION ALL (
                        SELECT ring.tenant, ring.turn FROM ring
                        WHERE ring.queue = its_queue AND ring.job_type = its_type AND ring.turn > reached
                        ORDER BY ring.turn, ring.tenant
                        LIMIT at_once
                    )
                ) AS one
                ORDER BY one.place, one.tenant COLLATE "C"
                LIMIT at_once
            );
        END IF;
        gone := ARRAY (
            SELECT one.tenant FROM unnest(met) AS one (tenant)
            WHERE NOT EXISTS (
                SELECT FROM lanes
                WHERE lanes.queue = its_queue AND lanes.job_type = its_type AND lanes.barrier = ''
                    AND lanes.tenant = one.tenant
                OFFSET 0
            )
        );
        EXIT WHEN gone = '{}';
        DELETE FROM ring WHERE queue = its_queue AND tenant = ANY (gone) AND job_type = its_type;
        at_once := least(2 * at_once, most + 1000);
    END LOOP;
    RETURN QUERY SELECT unnest(met[: most]);
END
$$;

-- The turns at which those of the ring stand who are not ahead of the queue: all of them are next, by name. Who was left
-- behind comes to where newcomers are, so that these are few.
CREATE FUNCTION {schema}.list_levels(its_queue text, its_type text, reached bigint) RETURNS bigint[]
LANGUAGE plpgsql
AS $$
DECLARE
    at_once CONSTANT integer := 500;
    left_behind text[] := ARRAY (
        SELECT tenant FROM ring
        WHERE queue = its_queue AND job_type = its_type AND turn > 0 AND turn < reached
        ORDER BY turn
        LIMIT at_once
    );
    levels bigint[] := '{0}';
    level bigint := 0;
BEGIN
    IF left_behind <> '{}' THEN
        UPDATE ring SET turn = 0 WHERE queue = its_queue AND tenant = ANY (left_behind) AND job_type = its_type;
    END IF;
    LOOP
        SELECT turn INTO level FROM ring
        WHERE queue = its_queue AND job_type = its_type AND turn > level AND turn <= reached
        ORDER BY turn
        LIMIT 1;
        EXIT WHEN NOT FOUND;
        levels := levels || level;
    END LOOP;
    RETURN levels;
END
$$;
