-- Brings the directory of lanes up to date with what has arrived, so much at a time that no claim takes long over it.
-- Its caller holds the door. Rows are changed by their addresses: what was counted in these tables was mostly nothing, and
-- a plan for nothing looks for each of thousands from the beginning.
CREATE OR REPLACE FUNCTION {schema}.absorb_arrivals() RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    at_once CONSTANT integer := 5000;
    came arrivals[];
BEGIN
    WITH gone AS (
        DELETE FROM arrivals
        WHERE ctid = ANY (ARRAY (
            SELECT ctid FROM arrivals WHERE subject IS DISTINCT FROM '~' ORDER BY id LIMIT at_once
        ))
        RETURNING arrivals AS one
    )
    SELECT array_agg(one) INTO came FROM gone;
    IF came IS NOT NULL THEN
        PERFORM open_barriers(ARRAY (SELECT DISTINCT subject FROM unnest(came) WHERE subject IS NOT NULL));
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

-- Lets everybody try again who was refused for what there is news of.
CREATE FUNCTION {schema}.open_barriers(told text[]) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    UPDATE barriers SET until = '-infinity'
    WHERE ctid = ANY (ARRAY (
        SELECT shut.spot
        FROM unnest(told) AS news (subject)
        CROSS JOIN LATERAL (
            SELECT barriers.ctid AS spot, barriers.until FROM barriers WHERE barriers.subject = news.subject OFFSET 0
        ) AS shut
        WHERE shut.until > clock()
    ));
END
$$;
