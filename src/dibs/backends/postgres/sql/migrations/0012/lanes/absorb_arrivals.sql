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
    END IF;
    -- What was found out by a clock that has been set back since is found out anew.
    UPDATE barriers SET until = '-infinity', noted_at = '-infinity' WHERE noted_at > clock() + interval '1 minute';
    PERFORM give_up_barriers();
    IF NOT EXISTS (SELECT FROM arrivals) AND (EXISTS (SELECT FROM lanes) OR EXISTS (SELECT FROM rules)) THEN
        INSERT INTO arrivals (subject) VALUES ('~');
    END IF;
END
$$;
