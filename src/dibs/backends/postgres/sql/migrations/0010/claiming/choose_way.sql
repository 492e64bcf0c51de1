-- Decides how a claim goes through a lane. One looks below stale floors; those beside it obey them for a while longer, but
-- nobody does for good.
CREATE FUNCTION {schema}.choose_way(lane_queue text, lane_type text, may_lay boolean) RETURNS {schema}.floor_way
LANGUAGE plpgsql
AS $$
DECLARE
    grace CONSTANT interval := '5 s';
    stale_at CONSTANT timestamptz := (
        SELECT min(until) FROM floors WHERE queue = lane_queue AND job_type = lane_type
    );
    way floor_way;
BEGIN
    way.queue := lane_queue;
    way.job_type := lane_type;
    way.began := clock_timestamp();
    way.may_write := may_lay
        AND pg_try_advisory_xact_lock(lock_of(format('floors of %L %L', lane_queue, lane_type)));
    way.is_whole := stale_at IS NULL OR stale_at + grace <= way.began OR (stale_at <= way.began AND way.may_write);
    RETURN way;
END
$$;

-- Whether there are floors that somebody still obeys.
CREATE FUNCTION {schema}.has_floors() RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
    RETURN EXISTS (SELECT FROM floors WHERE until > clock_timestamp() - interval '5 s');
END
$$;
