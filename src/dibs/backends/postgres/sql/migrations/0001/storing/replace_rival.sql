-- Gives a waiting job new input, time and priority; one that somebody has claimed stays as it is.
CREATE FUNCTION {schema}.replace_rival(
    rival_id text, new_input text, new_run_at timestamptz, new_priority integer
) RETURNS void
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
BEGIN
    UPDATE jobs
    SET input = new_input::json, run_at = new_run_at, priority = new_priority, ready = new_run_at <= clock()
    WHERE id = rival_id AND state IN ('pending', 'retryable');
END
$$;
