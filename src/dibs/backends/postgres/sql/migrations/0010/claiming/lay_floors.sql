-- Notes where the jobs of a lane begin, if it took long to find out. `is_all`: there were no more jobs than were seen, and
-- none of them is left.
CREATE FUNCTION {schema}.lay_floors(way {schema}.floor_way, seen {schema}.floor_sight[], is_all boolean) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    quick CONSTANT interval := '3 ms';
    -- Longer than it takes to commit what was numbered before.
    settling CONSTANT interval := '1 s';
    now CONSTANT timestamptz := clock_timestamp();
    -- A twentieth of the time goes into looking below the floors, or more where otherwise somebody would wait for too long.
    stale_at CONSTANT timestamptz := now + least(interval '10 s', greatest(interval '1 s', 20 * way.took));
BEGIN
    IF way.is_whole AND way.took < quick THEN
        DELETE FROM floors WHERE queue = way.queue AND job_type = way.job_type;
        RETURN;
    ELSIF way.is_whole THEN
        -- Where it did not come to look, nothing is known any more.
        DELETE FROM floors
        WHERE queue = way.queue AND job_type = way.job_type AND NOT is_all
            AND priority < (SELECT min(one.priority) FROM unnest(seen) AS one);
        UPDATE floors SET until = stale_at WHERE queue = way.queue AND job_type = way.job_type;
    END IF;
    INSERT INTO floors AS known (queue, job_type, priority, seq, candidate, noted_at, until)
    SELECT way.queue, way.job_type, one.priority, 0, min(one.seq), now, stale_at
    FROM unnest(seen) AS one
    LEFT JOIN floors AS old
        ON old.queue = way.queue AND old.job_type = way.job_type AND old.priority = one.priority
    -- What was found below a floor does not lower it if nothing of it is left.
    WHERE NOT is_all OR old.seq IS NULL OR one.seq >= old.seq
    GROUP BY one.priority
    ON CONFLICT (queue, job_type, priority) DO UPDATE
    SET seq = CASE
            WHEN excluded.candidate >= known.candidate THEN known.candidate
            ELSE least(known.seq, excluded.candidate)
        END,
        candidate = excluded.candidate, noted_at = excluded.noted_at
    -- Every change leaves a dead row here, too.
    WHERE known.noted_at <= now - settling OR excluded.candidate < known.candidate;
END
$$;
