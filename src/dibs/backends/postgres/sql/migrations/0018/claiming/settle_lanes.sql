-- Lets the next job of each of these lanes speak for it; a lane that nobody waits in any more goes.
CREATE OR REPLACE FUNCTION {schema}.settle_lanes(touched uuid[]) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    WITH heads AS MATERIALIZED (
        SELECT one.lane, head.priority, head.seq
        FROM unnest(touched) AS one (lane)
        LEFT JOIN LATERAL (
            SELECT jobs.priority, jobs.seq FROM jobs
            WHERE jobs.lane = one.lane
            ORDER BY jobs.priority DESC, jobs.seq
            LIMIT 1
        ) AS head ON true
    ), gone AS (
        -- BETWEEN: else a plan made beside a few lanes would read all of them.
        DELETE FROM lanes USING heads WHERE lanes.lane BETWEEN heads.lane AND heads.lane AND heads.seq IS NULL
    )
    UPDATE lanes SET priority = heads.priority, seq = heads.seq, barrier = ''
    FROM heads WHERE lanes.lane BETWEEN heads.lane AND heads.lane AND heads.seq IS NOT NULL;
END
$$;
