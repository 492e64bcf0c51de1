-- Brings the directory of lanes up to date with what has arrived, so much at a time that no claim takes long over it.
-- Its caller holds the door.
CREATE OR REPLACE FUNCTION {schema}.absorb_arrivals() RETURNS void
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
        -- Who leaves without having been claimed says so by the least urgent place there is.
        PERFORM correct_heads(ARRAY (
            SELECT DISTINCT lane FROM unnest(came)
            WHERE lane IS NOT NULL AND (priority, seq) = (-2147483648, 9223372036854775807)
        ));
    END IF;
    -- What was found out by a clock that has been set back since is found out anew.
    UPDATE barriers SET until = '-infinity', noted_at = '-infinity' WHERE noted_at > clock() + interval '1 minute';
    PERFORM give_up_barriers();
    IF NOT EXISTS (SELECT FROM arrivals) AND (EXISTS (SELECT FROM lanes) OR EXISTS (SELECT FROM rules)) THEN
        INSERT INTO arrivals (subject) VALUES ('~');
    END IF;
END
$$;

-- Lets the most urgent job of each of these lanes speak for it, wherever the lane stands; one without any goes. Turns that
-- are taken many at a time read a few lanes of each tenant, and believe what they find written there.
CREATE FUNCTION {schema}.correct_heads(asked uuid[]) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    WITH heads AS MATERIALIZED (
        SELECT one.lane, head.priority, head.seq
        FROM unnest(asked) AS one (lane)
        LEFT JOIN LATERAL (
            SELECT jobs.priority, jobs.seq FROM jobs
            WHERE jobs.lane = one.lane
            ORDER BY jobs.priority DESC, jobs.seq
            LIMIT 1
        ) AS head ON true
    ), gone AS (
        DELETE FROM lanes USING heads WHERE lanes.lane = heads.lane AND heads.seq IS NULL
    )
    UPDATE lanes SET priority = heads.priority, seq = heads.seq
    FROM heads
    WHERE lanes.lane = heads.lane AND heads.seq IS NOT NULL
        AND (lanes.priority, lanes.seq) IS DISTINCT FROM (heads.priority, heads.seq);
END
$$;
