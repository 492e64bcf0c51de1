-- Makes one row of many, and takes away barriers behind which nobody stands; not while somebody else is at the door.
CREATE OR REPLACE FUNCTION {schema}.tidy_up() RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    IF is_caller() OR NOT EXISTS (SELECT FROM spent) AND NOT EXISTS (SELECT FROM arrivals) THEN
        RETURN;
    ELSIF NOT pg_try_advisory_xact_lock(lock_of('door')) THEN
        RETURN;
    END IF;
    WITH gone AS (
        DELETE FROM spent WHERE ctid = ANY (ARRAY (SELECT ctid FROM spent LIMIT 10000)) RETURNING *
    )
    INSERT INTO spent (tenant, day, cost) SELECT tenant, day, sum(cost) FROM gone GROUP BY tenant, day;
    -- No budget looks back further than to the beginning of the month.
    DELETE FROM spent WHERE day < month_of(clock()) - interval '62 days';
    DELETE FROM barriers
    WHERE until <= clock() AND NOT EXISTS (
        SELECT FROM lanes
        WHERE lanes.queue = barriers.queue AND lanes.job_type = barriers.job_type AND lanes.barrier = barriers.barrier
    );
    PERFORM close_rings();
    PERFORM absorb_arrivals();
    DELETE FROM arrivals
    WHERE subject = '~' AND NOT EXISTS (SELECT FROM lanes) AND NOT EXISTS (SELECT FROM rules);
END
$$;

-- Takes away the rings of queues that are not fair any more. One step of the index finds one queue.
CREATE FUNCTION {schema}.close_rings() RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    kept text := '';
BEGIN
    LOOP
        SELECT queue INTO kept FROM ring WHERE queue > kept ORDER BY queue LIMIT 1;
        EXIT WHEN NOT FOUND;
        IF NOT EXISTS (SELECT FROM rules WHERE kind = 'queue' AND name = kept) THEN
            DELETE FROM ring WHERE queue = kept;
        END IF;
    END LOOP;
END
$$;
