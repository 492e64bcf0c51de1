-- Whether a claim has to pass the door: governed jobs that it asks for have come, or some of their lanes may be tried. All
-- those that stand behind barriers are passed by, however many they are, until something is told or an instant comes.
CREATE OR REPLACE FUNCTION {schema}.has_governed(queues text[], job_types text[]) RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
    ways record := find_governed_lanes(queues, job_types);
    has_ways CONSTANT boolean := ways.lane_queues IS NOT NULL;
BEGIN
    IF EXISTS (
        -- By an index, which remembers the dead rows at its head.
        SELECT FROM arrivals
        WHERE id > 0 AND (
            (lane IS NULL AND has_ways AND subject <> '~')
            OR (
                lane IS NOT NULL
                AND (queues IS NULL OR queue = ANY (queues)) AND (job_types IS NULL OR job_type = ANY (job_types))
            )
        )
    ) THEN
        RETURN true;
    END IF;
    RETURN has_ways AND (
        EXISTS (
            SELECT FROM unnest(ways.lane_queues, ways.lane_types) AS asked (queue, job_type)
            -- OFFSET: else all of them are read at once, to be asked afterwards.
            WHERE EXISTS (
                    SELECT FROM lanes
                    WHERE lanes.queue = asked.queue AND lanes.job_type = asked.job_type AND lanes.barrier = ''
                    OFFSET 0
                ) OR EXISTS (
                    SELECT FROM barriers
                    WHERE barriers.queue = asked.queue AND barriers.job_type = asked.job_type AND barriers.until <= clock()
                    OFFSET 0
                )
        )
        -- What was found out by a clock that has been set back since is found out anew.
        OR EXISTS (SELECT FROM barriers WHERE noted_at > clock() + interval '1 minute')
    );
END
$$;
