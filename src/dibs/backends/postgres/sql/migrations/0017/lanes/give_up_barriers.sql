-- An open barrier with few lanes behind it is given up, so that claims need not look behind thousands of small ones.
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

-- A gate that is open again refuses nobody behind it: all go, so many a claim. Behind a source that has a pace most would
-- have to come back.
CREATE FUNCTION {schema}.leave_opened_gates() RETURNS void
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
        SELECT found.lane FROM opened
        CROSS JOIN LATERAL (
            SELECT lanes.lane FROM lanes
            WHERE lanes.queue = opened.queue AND lanes.job_type = opened.job_type AND lanes.barrier = opened.barrier
            LIMIT at_once
        ) AS found
        LIMIT at_once
    ), moved AS (
        UPDATE lanes SET barrier = '' FROM behind WHERE lanes.lane = behind.lane
        RETURNING lanes.queue, lanes.job_type, lanes.tenant
    )
    SELECT array_agg(queue) AS queues, array_agg(job_type) AS types, array_agg(tenant) AS tenants INTO freed FROM moved;
    IF freed.queues IS NOT NULL THEN
        PERFORM join_ring(freed.queues, freed.types, freed.tenants);
    END IF;
END
$$;
