-- An open barrier with few lanes behind it is given up, so that claims need not look behind thousands of small ones. Rows
-- are changed by their addresses: a plan made beside a few lanes would else read all of them.
CREATE OR REPLACE FUNCTION {schema}.give_up_barriers() RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    at_once CONSTANT integer := 500;
    few CONSTANT integer := 8;
    freed record;
BEGIN
    PERFORM leave_opened_gates();
    WITH small AS MATERIALIZED (
        SELECT open.spot, behind.lanes
        FROM (SELECT barriers.*, ctid AS spot FROM barriers WHERE until <= clock() ORDER BY until LIMIT at_once) AS open
        CROSS JOIN LATERAL (
            SELECT array_agg(found.spot) AS lanes, count(*) AS many
            FROM (
                SELECT lanes.ctid AS spot FROM lanes
                WHERE lanes.queue = open.queue AND lanes.job_type = open.job_type AND lanes.barrier = open.barrier
                LIMIT few + 1
            ) AS found
        ) AS behind
        WHERE behind.many <= few
    ), gone AS (
        DELETE FROM barriers WHERE ctid = ANY (ARRAY (SELECT spot FROM small))
    ), moved AS (
        UPDATE lanes SET barrier = '' WHERE ctid = ANY (ARRAY (SELECT unnest(small.lanes) FROM small))
        RETURNING lanes.queue, lanes.job_type, lanes.tenant
    )
    SELECT array_agg(queue) AS queues, array_agg(job_type) AS types, array_agg(tenant) AS tenants INTO freed FROM moved;
    IF freed.queues IS NOT NULL THEN
        PERFORM join_ring(freed.queues, freed.types, freed.tenants);
    END IF;
END
$$;

-- A gate that is open again refuses nobody behind it: all go, so many a claim. Behind a source that has a pace most would
-- have to come back.
CREATE OR REPLACE FUNCTION {schema}.leave_opened_gates() RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    at_once CONSTANT integer := 1000;
    freed record;
BEGIN
    WITH opened AS MATERIALIZED (
        SELECT queue, job_type, barrier FROM barriers
        WHERE until <= clock() AND starts_with(barrier, 'gate:') AND NOT EXISTS (
            SELECT FROM rules
            WHERE kind = 'gate' AND name = substr(barrier, 6) AND (expires_at IS NULL OR expires_at > clock())
        )
        LIMIT at_once
    ), behind AS MATERIALIZED (
        SELECT found.spot FROM opened
        CROSS JOIN LATERAL (
            SELECT lanes.ctid AS spot FROM lanes
            WHERE lanes.queue = opened.queue AND lanes.job_type = opened.job_type AND lanes.barrier = opened.barrier
            LIMIT at_once
        ) AS found
        LIMIT at_once
    ), moved AS (
        UPDATE lanes SET barrier = '' WHERE ctid = ANY (ARRAY (SELECT spot FROM behind))
        RETURNING lanes.queue, lanes.job_type, lanes.tenant
    )
    SELECT array_agg(queue) AS queues, array_agg(job_type) AS types, array_agg(tenant) AS tenants INTO freed FROM moved;
    IF freed.queues IS NOT NULL THEN
        PERFORM join_ring(freed.queues, freed.types, freed.tenants);
    END IF;
END
$$;
