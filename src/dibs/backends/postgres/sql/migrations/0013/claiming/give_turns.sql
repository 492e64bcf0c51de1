-- Gives the jobs of one fair queue by turns, many at a time: the same ones in the same order as one by one, as far as
-- nothing can hold them back. The rest is left to the loop of its caller, who holds the door.
CREATE FUNCTION {schema}.give_turns(
    its_queue text, lane_types text[], only_tenant text, worker text, wanted integer, lease_micros bigint
) RETURNS text[]
LANGUAGE plpgsql
AS $$
DECLARE
    given text[] := '{}';
    newly text[];
    round_of integer;
BEGIN
    -- Each round reads a little of each tenant. Where a few have most of it, that takes several.
    FOR round IN 1 .. 8 LOOP
        round_of := wanted - cardinality(given);
        EXIT WHEN round_of <= 0
            OR EXISTS (SELECT FROM rules WHERE kind = 'gate' AND (expires_at IS NULL OR expires_at > clock()))
            OR EXISTS (
                SELECT FROM barriers
                WHERE queue = its_queue AND job_type = ANY (lane_types) AND until <= clock()
            );
        newly := give_round(its_queue, lane_types, only_tenant, worker, round_of, lease_micros);
        EXIT WHEN newly = '{}';
        given := given || newly;
    END LOOP;
    RETURN given;
END
$$;

-- One round of it. A tenant that may have more than was read ends it where its next job would come.
CREATE FUNCTION {schema}.give_round(
    its_queue text, lane_types text[], only_tenant text, worker text, wanted integer, lease_micros bigint
) RETURNS text[]
LANGUAGE plpgsql
AS $$
DECLARE
    ring CONSTANT ring_place[] := find_ring(
        array_fill(its_queue, ARRAY[cardinality(lane_types)]), lane_types, only_tenant, ARRAY[its_queue], wanted + 50
    );
    share CONSTANT integer := wanted / greatest(cardinality(ring), 1) + 2;
    started text[];
    lanes_left uuid[];
BEGIN
    WITH tenants AS MATERIALIZED (
        SELECT one.tenant, one.place, 720720 / coalesce((rules.body ->> 'weight')::bigint, 1) AS step,
            rules.body IS NULL OR (rules.body ->> 'max_running' IS NULL AND rules.body ->> 'daily_budget_microcents' IS NULL
                AND rules.body ->> 'monthly_budget_microcents' IS NULL) AS is_free
        FROM unnest(ring) AS one
        LEFT JOIN rules ON rules.kind = 'tenant' AND rules.name = one.tenant
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
            SELECT coalesce(min(edge), 9223372036854775807)
            FROM (SELECT max(place) AS edge FROM seen AS full_one WHERE read = share GROUP BY tenant) AS edges
        )
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
    )
    SELECT array_agg(taken.id ORDER BY taken.number), array_agg(DISTINCT taken.lane) INTO started, lanes_left FROM taken;
    IF started IS NULL THEN
        RETURN '{}';
    END IF;
    PERFORM settle_lanes(lanes_left);
    RETURN started;
END
$$;

-- Lets the next job of each of these lanes speak for it; a lane that nobody waits in any more goes.
CREATE FUNCTION {schema}.settle_lanes(touched uuid[]) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    WITH heads AS MATERIALIZED (
        SELECT one.lane, head.priority, head.seq
        FROM unnest(touched) AS one (lane)
        LEFT JOIN LATERAL (
            SELECT jobs.priority, jobs.seq FROM jobs
            WHERE jobs.lane = one.lane
            ORDER BY jobs.priority DESC, jobs.seq
            LIMIT 1
        ) AS head ON true
    ), gone AS (
        DELETE FROM lanes USING heads WHERE lanes.lane = heads.lane AND heads.seq IS NULL
    )
    UPDATE lanes SET priority = heads.priority, seq = heads.seq, barrier = ''
    FROM heads WHERE lanes.lane = heads.lane AND heads.seq IS NOT NULL;
END
$$;
