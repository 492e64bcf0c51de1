-- Locks the most urgent free jobs of one lane.
CREATE FUNCTION {schema}.pick_lane(
    lane_queue text, lane_type text, only_tenant text, wanted integer, but_not text[]
) RETURNS text[]
LANGUAGE plpgsql
AS $$
BEGIN
    RETURN ARRAY (
        SELECT id FROM jobs
        WHERE ready AND queue = lane_queue AND job_type = lane_type
            AND (only_tenant IS NULL OR tenant = only_tenant)
            AND (but_not IS NULL OR id <> ALL (but_not))
        ORDER BY priority DESC, seq
        LIMIT wanted
        FOR UPDATE SKIP LOCKED
    );
END
$$;
