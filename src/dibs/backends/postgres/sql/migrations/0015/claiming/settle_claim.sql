-- Notes what a governed job was given with its claim: the probe of a broken source, its tenant's turn; and lets the next
-- job speak for the lane.
CREATE OR REPLACE FUNCTION {schema}.settle_claim(taken {schema}.lanes, job_id text, is_fair boolean) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    next record;
BEGIN
    IF taken.source IS NOT NULL THEN
        UPDATE sources SET probe_job = job_id, probe_token = currval('tokens')
        WHERE name = taken.source AND failure_streak >= failure_limit;
    END IF;
    IF is_fair THEN
        PERFORM take_turn(taken.queue, taken.tenant);
    END IF;
    SELECT priority, seq INTO next FROM jobs
    WHERE lane = taken.lane
    ORDER BY priority DESC, seq
    LIMIT 1;
    IF FOUND THEN
        UPDATE lanes SET priority = next.priority, seq = next.seq, barrier = '' WHERE lane = taken.lane;
        IF taken.barrier <> '' THEN
            PERFORM join_ring(ARRAY[taken.queue], ARRAY[taken.job_type], ARRAY[taken.tenant]);
        END IF;
    ELSE
        DELETE FROM lanes WHERE lane = taken.lane;
    END IF;
END
$$;

-- Moves a tenant back in a fair queue, as dibs.engine.admission.turns does; a heavier one less far.
CREATE OR REPLACE FUNCTION {schema}.take_turn(its_queue text, its_tenant text) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    place bigint := (SELECT coalesce(max(turn), 0) FROM turns WHERE queue = its_queue AND tenant IN ('', its_tenant));
    weight bigint := coalesce(
        (SELECT (body ->> 'weight')::bigint FROM rules WHERE kind = 'tenant' AND name = its_tenant), 1
    );
BEGIN
    INSERT INTO turns (queue, tenant, turn) VALUES (its_queue, '', place), (its_queue, its_tenant, place + 720720 / weight)
    ON CONFLICT (queue, tenant) DO UPDATE SET turn = excluded.turn;
    UPDATE ring SET turn = place + 720720 / weight WHERE queue = its_queue AND tenant = its_tenant;
END
$$;
