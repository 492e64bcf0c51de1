-- Gives plain and governed jobs in one order, each governed one only if nothing holds it back now. Its caller holds the
-- door; jobs that others have locked are passed over, so that nobody waits behind a stranger's transaction.
CREATE FUNCTION {schema}.admit_jobs(
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
    spare text;
    ways record;
    fair text[] := ARRAY (SELECT name FROM rules WHERE kind = 'queue');
    waiting lanes;
    head record;
    obstacle record;
BEGIN
    plain := prepare_claim(queues, job_types, only_tenant, wanted);
    ways := find_governed_lanes(queues, job_types);
    WHILE cardinality(given) < wanted LOOP
        waiting := NULL;
        IF parked < most_parked THEN
            waiting := find_candidate(ways.lane_queues, ways.lane_types, only_tenant, passed, fair);
        END IF;
        IF waiting.lane IS NOT NULL THEN
            head := find_head(waiting);
            IF head.id IS NULL THEN
                passed := passed || waiting.lane;
                CONTINUE;
            ELSIF (head.priority, head.seq) IS DISTINCT FROM (waiting.priority, waiting.seq) THEN
                UPDATE lanes SET priority = head.priority, seq = head.seq WHERE lane = waiting.lane;
                CONTINUE;
            END IF;
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
        obstacle := find_obstacle(waiting);
        IF obstacle.barrier IS NULL THEN
            given := given || start_job(head.id, worker, lease_micros);
            PERFORM settle_claim(waiting, head.id, waiting.queue = ANY (fair));
        ELSE
            PERFORM park_lane(waiting, obstacle.barrier, obstacle.subject, obstacle.until);
            parked := parked + 1;
        END IF;
    END LOOP;
    IF cardinality(given) < wanted AND turn > 1 THEN
        -- Others may have been quicker: take what is free of the plain ones, rather than nothing.
        FOREACH spare IN ARRAY pick_plain(queues, job_types, only_tenant, wanted - cardinality(given), has_rules()) LOOP
            IF find_governed(ARRAY[spare], has_rules()) = '{}' THEN
                given := given || start_job(spare, worker, lease_micros);
            END IF;
        END LOOP;
    END IF;
    RETURN QUERY SELECT jobs.* FROM unnest(given) AS chosen (id) JOIN jobs ON jobs.id BETWEEN chosen.id AND chosen.id;
END
$$;
