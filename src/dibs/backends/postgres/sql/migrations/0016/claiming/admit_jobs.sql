-- Gives plain and governed jobs in one order, each governed one only if nothing holds it back now. Its caller holds the
-- door; jobs that others have locked are passed over, so that nobody waits behind a stranger's transaction.
CREATE OR REPLACE FUNCTION {schema}.admit_jobs(
    worker text, wanted integer, lease_micros bigint, queues text[], job_types text[], only_tenant text
) RETURNS SETOF {schema}.jobs
LANGUAGE plpgsql
AS $$
DECLARE
    given text[] := '{}';
    passed uuid[] := '{}';
    plain record;
    is_plain boolean;
    turn integer := 1;
    parked integer := 0;
    -- More are left for the next claim: one that takes too long is undone, and the next begins where it began.
    most_parked CONSTANT integer := 200;
    ways record;
    fair text[] := ARRAY (SELECT name FROM rules WHERE kind = 'queue');
    -- No more tenants than may get something have a place in the ring; it is made anew when so many had their turn.
    most_in_ring CONSTANT integer := wanted + 50;
    ring ring_place[] := '{}';
    tried integer := most_in_ring;
    rounds_left integer := CASE WHEN fair = '{}' THEN 0 ELSE 10 END;
    next record;
    waiting lanes;
    head record;
    obstacle record;
BEGIN
    plain := prepare_claim(queues, job_types, only_tenant, wanted);
    ways := find_governed_lanes(queues, job_types);
    IF plain.ids IS NULL AND ways.lane_queues[1] = ANY (fair) AND ways.lane_queues[1] = ALL (ways.lane_queues) THEN
        -- Nobody but the tenants of one fair queue.
        given := give_turns(ways.lane_queues[1], ways.lane_types, only_tenant, worker, wanted, lease_micros);
    END IF;
    WHILE cardinality(given) < wanted LOOP
        waiting := NULL;
        IF parked < most_parked THEN
            IF tried >= most_in_ring AND rounds_left > 0 THEN
                ring := find_ring(ways.lane_queues, ways.lane_types, only_tenant, fair, most_in_ring);
                tried := 0;
                rounds_left := rounds_left - 1;
            END IF;
            next := find_next(ways.lane_queues, ways.lane_types, only_tenant, passed, fair, ring);
            -- Who has left the ring had nothing; others may come in.
            tried := tried + cardinality(ring) - cardinality(next.ring);
            ring := next.ring;
            waiting := next.candidate;
            IF next.barrier IS NOT NULL THEN
                PERFORM park_lane(waiting, next.barrier, next.subject, next.until);
                parked := parked + 1;
                CONTINUE;
            END IF;
            CONTINUE WHEN waiting.lane IS NULL AND tried >= most_in_ring AND rounds_left > 0;
        END IF;
        IF waiting.lane IS NOT NULL THEN
            head := find_head(waiting);
            IF head.id IS NULL THEN
                passed := passed || waiting.lane;
            END IF;
            CONTINUE WHEN (head.priority, head.seq) IS DISTINCT FROM (waiting.priority, waiting.seq);
        END IF;
        is_plain := turn <= coalesce(cardinality(plain.ids), 0) AND (
            waiting.lane IS NULL
            OR (-plain.priorities[turn]::bigint, plain.seqs[turn]) < (-waiting.priority::bigint, waiting.seq)
        );
        EXIT WHEN NOT is_plain AND waiting.lane IS NULL;
        IF is_plain THEN
            given := given || start_job(plain.ids[turn], worker, lease_micros);
            turn := turn + 1;
            CONTINUE;
        END IF;
        IF waiting.queue <> ALL (fair) THEN
            obstacle := find_obstacle(waiting);
            IF obstacle.barrier IS NOT NULL THEN
                PERFORM park_lane(waiting, obstacle.barrier, obstacle.subject, obstacle.until);
                parked := parked + 1;
                CONTINUE;
            END IF;
        END IF;
        given := given || start_job(head.id, worker, lease_micros);
        PERFORM settle_claim(waiting, head.id, waiting.queue = ANY (fair));
        IF waiting.queue = ANY (fair) THEN
            ring := move_on(ring, waiting.queue, waiting.tenant);
            tried := tried + 1;
        END IF;
    END LOOP;
    IF cardinality(given) < wanted AND turn > 1 THEN
        given := given || start_spare(worker, wanted - cardinality(given), lease_micros, queues, job_types, only_tenant);
    END IF;
    RETURN QUERY SELECT jobs.* FROM unnest(given) AS chosen (id) JOIN jobs ON jobs.id BETWEEN chosen.id AND chosen.id;
END
$$;
