-- Enters lanes into the directory, or a more urgent job of one that is there.
CREATE OR REPLACE FUNCTION {schema}.enter_lanes(came {schema}.arrivals[]) RETURNS void
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
    PERFORM join_ring(array_agg(queue), array_agg(job_type), array_agg(tenant)) FROM unnest(came) WHERE lane IS NOT NULL;
END
$$;

-- An open barrier with few lanes behind it is given up, so that claims need not look behind thousands of small ones.
CREATE OR REPLACE FUNCTION {schema}.give_up_barriers() RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    at_once CONSTANT integer := 500;
    few CONSTANT integer := 8;
    freed record;
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
    ), gone AS (
        DELETE FROM barriers USING small
        WHERE barriers.queue = small.queue AND barriers.job_type = small.job_type AND barriers.barrier = small.barrier
    ), moved AS (
        UPDATE lanes SET barrier = '' FROM small
        WHERE lanes.queue = small.queue AND lanes.job_type = small.job_type AND lanes.barrier = small.barrier
        RETURNING lanes.queue, lanes.job_type, lanes.tenant
    )
    SELECT array_agg(queue) AS queues, array_agg(job_type) AS types, array_agg(tenant) AS tenants INTO freed FROM moved;
    IF freed.queues IS NOT NULL THEN
        PERFORM join_ring(freed.queues, freed.types, freed.tenants);
    END IF;
END
$$;
