-- Gives a waiting job new input, time and priority; one that somebody has claimed stays as it is.
CREATE OR REPLACE FUNCTION {schema}.replace_rival(
    rival_id text, new_input text, new_run_at timestamptz, new_priority integer
) RETURNS void
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
DECLARE
    before jobs;
    next_lane uuid;
BEGIN
    SELECT * INTO before FROM jobs WHERE id = rival_id AND state IN ('pending', 'retryable') FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF new_run_at <= clock() THEN
        next_lane := lane_of(
            before.queue, before.job_type, before.tenant, before.source, before.concurrency_key,
            before.max_cost_microcents, has_rules()
        );
    END IF;
    UPDATE jobs
    SET input = new_input::json, run_at = new_run_at, priority = new_priority,
        ready = new_run_at <= clock() AND next_lane IS NULL, lane = next_lane
    WHERE id = rival_id;
    IF before.lane IS NOT NULL THEN
        PERFORM announce_leaving(before);
    END IF;
    PERFORM announce_lanes(ARRAY[rival_id]);
END
$$;
