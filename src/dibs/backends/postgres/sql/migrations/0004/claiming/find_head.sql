-- Locks the most urgent free job of a lane. None: then nobody waits there any more, or others hold them all.
CREATE FUNCTION {schema}.find_head(
    waiting {schema}.lanes, OUT id text, OUT priority integer, OUT seq bigint
)
LANGUAGE plpgsql
AS $$
BEGIN
    SELECT jobs.id, jobs.priority, jobs.seq INTO id, priority, seq
    FROM jobs
    WHERE jobs.lane = waiting.lane
    ORDER BY jobs.priority DESC, jobs.seq
    LIMIT 1
    FOR UPDATE SKIP LOCKED;
    IF NOT FOUND AND NOT EXISTS (SELECT FROM jobs WHERE jobs.lane = waiting.lane) THEN
        DELETE FROM lanes WHERE lane = waiting.lane;
    END IF;
END
$$;
