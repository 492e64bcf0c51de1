-- Looks, without locks, at the most urgent jobs of one lane: each priority from its floor on, those without one, and all
-- where the lane is to be looked through as a whole, from their beginning.
CREATE FUNCTION {schema}.peek_lane(
    lane_queue text, lane_type text, only_tenant text, wanted integer, is_whole boolean
) RETURNS TABLE (id text, priority integer, seq bigint)
LANGUAGE plpgsql
AS $$
DECLARE
    above bigint := 2147483648;
    missing integer := wanted;
    more integer;
    next record;
BEGIN
    FOR next IN
        (
            SELECT floors.priority::bigint AS priority, floors.seq FROM floors
            WHERE floors.queue = lane_queue AND floors.job_type = lane_type AND NOT is_whole
            ORDER BY floors.priority DESC
        ) UNION ALL SELECT -2147483649, NULL
    LOOP
        IF next.priority + 1 < above THEN
            RETURN QUERY
            SELECT jobs.id::text, jobs.priority, jobs.seq FROM jobs
            WHERE jobs.ready AND jobs.queue = lane_queue AND jobs.job_type = lane_type
                AND jobs.priority <= (above - 1)::integer AND jobs.priority >= (next.priority + 1)::integer
                AND (only_tenant IS NULL OR jobs.tenant = only_tenant)
            ORDER BY jobs.priority DESC, jobs.seq
            LIMIT missing;
            GET DIAGNOSTICS more = ROW_COUNT;
            missing := missing - more;
        END IF;
        EXIT WHEN missing <= 0 OR next.seq IS NULL;
        RETURN QUERY
        SELECT jobs.id::text, jobs.priority, jobs.seq FROM jobs
        WHERE jobs.ready AND jobs.queue = lane_queue AND jobs.job_type = lane_type
            AND jobs.priority = next.priority::integer AND jobs.seq >= next.seq
            AND (only_tenant IS NULL OR jobs.tenant = only_tenant)
        ORDER BY jobs.seq
        LIMIT missing;
        GET DIAGNOSTICS more = ROW_COUNT;
        missing := missing - more;
        EXIT WHEN missing <= 0;
        above := next.priority;
    END LOOP;
END
$$;
