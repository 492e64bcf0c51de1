-- One round of it. A tenant that may have more than was read ends it where its next job would come.
CREATE OR REPLACE FUNCTION {schema}.give_round(
    its_queue text, lane_types text[], only_tenant text, worker text, wanted integer, lease_micros bigint
) RETURNS text[]
LANGUAGE plpgsql
AS $$
DECLARE
    -- A few more than may get something: the jobs of some are in others' hands.
    most CONSTANT integer := wanted + wanted / 8 + 3;
    places CONSTANT ring_place[] := find_ring(
        array_fill(its_queue, ARRAY[cardinality(lane_types)]), lane_types, only_tenant, ARRAY[its_queue], most
    );
    share CONSTANT integer := wanted / greatest(cardinality(places), 1) + 2;
    -- Behind the last of a full ring others may stand: nobody is given anything that would come after it.
    is_whole CONSTANT boolean := cardinality(places) < most;
    edge ring_place;
    started text[];
    lanes_left uuid[];
BEGIN
    SELECT one.* INTO edge FROM unnest(places) AS one ORDER BY one.place DESC, one.tenant COLLATE "C" DESC LIMIT 1;
    WITH tenants AS MATERIALIZED (
        SELECT one.tenant, one.place, 720720 / coalesce((rules.body ->> 'weight')::bigint, 1) AS step,
            rules.body IS NULL OR (rules.body ->> 'max_running' IS NULL AND rules.body ->> 'daily_budget_microcents' IS NULL
                AND rules.body ->> 'monthly_budget_microcents' IS NULL) AS is_free
        FROM unnest(places) AS one
        LEFT JOIN LATERAL (
            SELECT body FROM rules WHERE kind = 'tenant' AND name = one.tenant OFFSET 0
        ) AS rules ON true
    ), seen AS MATERIALIZED (
        SELECT tenants.tenant, job.id, job.lane,
            tenants.place + tenants.step * (row_number() OVER of_tenant - 1) AS place, tenants.step,
            count(*) OVER (PARTITION BY tenants.tenant) AS read,
            tenants.is_free AND job.is_free AS is_free
        FROM tenants
        CROSS JOIN LATERAL (
            SELECT one.id, one.priority, one.seq, waiting.lane,
                waiting.source IS NULL AND waiting.concurrency_key IS NULL AS is_free
            FROM (
                SELECT best.* FROM unnest(lane_types) AS asked (job_type)
                CROSS JOIN LATERAL (
                    SELECT lanes.* FROM lanes
                    WHERE lanes.queue = its_queue AND lanes.job_type = asked.job_type AND lanes.barrier = ''
                        AND lanes.tenant = tenants.tenant
                    ORDER BY lanes.priority DESC, lanes.seq
                    LIMIT share
                ) AS best
                ORDER BY best.priority DESC, best.seq
                LIMIT share
            ) AS waiting
            CROSS JOIN LATERAL (
                SELECT jobs.id, jobs.priority, jobs.seq FROM jobs
                WHERE jobs.lane = waiting.lane
                ORDER BY jobs.priority DESC, jobs.seq
                LIMIT share
            ) AS one
            ORDER BY one.priority DESC, one.seq
            LIMIT share
        ) AS job
        WINDOW of_tenant AS (PARTITION BY tenants.tenant ORDER BY job.priority DESC, job.seq)
    ), ordered AS MATERIALIZED (
        SELECT seen.id, seen.lane, seen.tenant, seen.place, seen.step,
            bool_and(is_free) OVER by_turn AS is_free,
            row_number() OVER by_turn AS number
        FROM seen
        WHERE seen.place <= (
            SELECT coalesce(min(edges.last), 9223372036854775807)
            FROM (SELECT max(place) AS last FROM seen AS full_one WHERE read = share GROUP BY tenant) AS edges
        ) AND (is_whole OR (seen.place, seen.tenant COLLATE "C") <= (edge.place, edge.tenant COLLATE "C"))
        WINDOW by_turn AS (ORDER BY seen.place, seen.tenant COLLATE "C")
    ), free AS MATERIALIZED (
        SELECT ordered.number, ordered.lane, ordered.tenant, ordered.place, ordered.step, locked.id, locked.ctid AS spot
        FROM ordered
        CROSS JOIN LATERAL (
            SELECT jobs.id, jobs.ctid, jobs.lane FROM jobs
            WHERE jobs.id BETWEEN ordered.id AND ordered.id OFFSET 0 FOR UPDATE SKIP LOCKED
        ) AS locked
        WHERE ordered.is_free AND ordered.number <= wanted AND locked.lane = ordered.lane
        ORDER BY ordered.number
    ), taken AS (
        UPDATE jobs
        SET state = 'running', ready = false, lane = NULL, permit = false,
            lease_token = nextval('tokens'), locked_by = worker, locked_at = clock(), heartbeat_at = clock(),
            lease_expires_at = clock() + micros(lease_micros), started_at = coalesce(jobs.started_at, clock())
        FROM (SELECT * FROM free ORDER BY number OFFSET 0) AS free
        WHERE jobs.ctid = free.spot
        RETURNING free.number, free.id, free.lane, free.tenant, free.place, free.step
    ), moved AS (
        INSERT INTO turns (queue, tenant, turn)
        SELECT its_queue, tenant, max(place + step) FROM taken GROUP BY tenant
        UNION ALL SELECT its_queue, '', max(place) FROM taken HAVING count(*) > 0
        ON CONFLICT (queue, tenant) DO UPDATE SET turn = excluded.turn
    ), moved_on AS (
        -- By their addresses, and BETWEEN: else a plan made among a few tenants would read all of the queue.
        UPDATE ring SET turn = far.turn
        FROM (
            SELECT had.turn, kept.spot
            FROM (SELECT tenant, max(place + step) AS turn FROM taken GROUP BY tenant) AS had
            CROSS JOIN LATERAL (
                SELECT kept.ctid AS spot FROM ring AS kept
                WHERE kept.queue = its_queue AND kept.tenant BETWEEN had.tenant AND had.tenant OFFSET 0
            ) AS kept
            OFFSET 0
        ) AS far
        WHERE ring.ctid = far.spot
    )
    SELECT array_agg(taken.id ORDER BY taken.number), array_agg(DISTINCT taken.lane) INTO started, lanes_left FROM taken;
    IF started IS NULL THEN
        RETURN '{}';
    END IF;
    PERFORM settle_lanes(lanes_left);
    RETURN started;
END
$$;
