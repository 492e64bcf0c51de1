-- Brings the directory of lanes up to date with what has arrived, so much at a time that no claim takes long over it.
-- Its caller holds the door.
CREATE FUNCTION {schema}.absorb_arrivals() RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    at_once CONSTANT integer := 5000;
    came arrivals[];
BEGIN
    WITH gone AS (
        DELETE FROM arrivals
        WHERE id IN (SELECT id FROM arrivals WHERE subject IS DISTINCT FROM '~' ORDER BY id LIMIT at_once)
        RETURNING arrivals AS one
    )
    SELECT array_agg(one) INTO came FROM gone;
    IF came IS NOT NULL THEN
        UPDATE barriers SET until = '-infinity'
        WHERE until > clock() AND subject IN (SELECT DISTINCT subject FROM unnest(came) WHERE subject IS NOT NULL);
        PERFORM enter_lanes(came);
    END IF;
    PERFORM give_up_barriers();
    IF NOT EXISTS (SELECT FROM arrivals) AND (EXISTS (SELECT FROM lanes) OR EXISTS (SELECT FROM rules)) THEN
        INSERT INTO arrivals (subject) VALUES ('~');
    END IF;
END
$$;

-- Enters lanes into the directory, or a more urgent job of one that is there.
CREATE FUNCTION {schema}.enter_lanes(came {schema}.arrivals[]) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO lanes AS known (lane, queue, job_type, tenant, source, concurrency_key, priority, seq, max_cost)
    SELECT DISTINCT ON (lane) lane, queue, job_type, tenant, source, concurrency_key, priority, seq, max_cost
    FROM unnest(came)
    WHERE lane IS NOT NULL
    ORDER BY lane, priority DESC, seq
    ON CONFLICT (lane) DO UPDATE
    SET priority = excluded.priority, seq = excluded.seq
    WHERE (-excluded.priority::bigint, excluded.seq) < (-known.priority::bigint, known.seq);
END
$$;

-- An open barrier with few lanes behind it is given up, so that claims need not look behind thousands of small ones.
CREATE FUNCTION {schema}.give_up_barriers() RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    at_once CONSTANT integer := 500;
    few CONSTANT integer := 8;
BEGIN
    WITH small AS MATERIALIZED (
        SELECT open.queue, open.job_type, open.barrier
        FROM (SELECT * FROM barriers WHERE until <= clock() ORDER BY until LIMIT at_once) AS open
        WHERE few >= (
            SELECT count(*) FROM (
                SELECT FROM lanes
                WHERE lanes.queue = open.queue AND lanes.job_type = open.job_type AND lanes.barrier = open.barrier
                LIMIT few + 1
            ) AS behind
        )
    ), freed AS (
        UPDATE lanes SET barrier = '' FROM small
        WHERE lanes.queue = small.queue AND lanes.job_type = small.job_type AND lanes.barrier = small.barrier
    )
    DELETE FROM barriers USING small
    WHERE barriers.queue = small.queue AND barriers.job_type = small.job_type AND barriers.barrier = small.barrier;
END
$$;
