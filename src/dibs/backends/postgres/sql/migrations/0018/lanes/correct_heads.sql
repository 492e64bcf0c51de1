-- Lets the most urgent job of each of these lanes speak for it, wherever the lane stands; one without any goes. Turns that
-- are taken many at a time read a few lanes of each tenant, and believe what they find written there.
CREATE OR REPLACE FUNCTION {schema}.correct_heads(asked uuid[]) RETURNS void
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
        -- BETWEEN: else a plan made beside a few lanes would read all of them.
        DELETE FROM lanes USING heads WHERE lanes.lane BETWEEN heads.lane AND heads.lane AND heads.seq IS NULL
    )
    UPDATE lanes SET priority = heads.priority, seq = heads.seq
    FROM heads
    WHERE lanes.lane BETWEEN heads.lane AND heads.lane AND heads.seq IS NOT NULL
        AND (lanes.priority, lanes.seq) IS DISTINCT FROM (heads.priority, heads.seq);
END
$$;
