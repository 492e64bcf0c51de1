-- Lets tenants take turns that have got a lane before which no barrier stands. Its caller holds the door.
CREATE FUNCTION {schema}.join_ring(its_queues text[], its_types text[], its_tenants text[]) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM ring) THEN
        RETURN;
    END IF;
    INSERT INTO ring (queue, tenant, job_type, turn)
    SELECT came.queue, came.tenant, came.job_type, coalesce((
        SELECT turns.turn FROM turns
        WHERE turns.queue = came.queue AND turns.tenant = came.tenant
            AND turns.turn > (SELECT reached.turn FROM turns AS reached WHERE reached.queue = came.queue AND reached.tenant = '')
    ), 0)
    FROM (
        SELECT DISTINCT one.queue, one.job_type, one.tenant
        FROM unnest(its_queues, its_types, its_tenants) AS one (queue, job_type, tenant)
    ) AS came
    -- OFFSET: else all of it is read at once, to be compared with everybody.
    WHERE EXISTS (SELECT FROM ring AS kept WHERE kept.queue = came.queue AND kept.tenant = '' OFFSET 0)
        AND EXISTS (
            SELECT FROM lanes
            WHERE lanes.queue = came.queue AND lanes.job_type = came.job_type AND lanes.barrier = ''
                AND lanes.tenant = came.tenant
            OFFSET 0
        )
    ON CONFLICT DO NOTHING;
END
$$;

-- Puts everybody into the ring who waits in a queue that has become fair.
CREATE FUNCTION {schema}.open_ring(its_queue text) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO ring (queue, tenant, job_type, turn) VALUES (its_queue, '', '', 0);
    PERFORM join_ring(array_agg(lanes.queue), array_agg(lanes.job_type), array_agg(lanes.tenant))
    FROM lanes WHERE lanes.queue = its_queue AND lanes.barrier = '';
END
$$;
