-- The id of the job that holds a unique key under a rule; of several, the one stored last.
CREATE FUNCTION {schema}.find_rival(
    new_tenant text, new_type text, new_key text, hold text, window_micros bigint
) RETURNS text
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
SET enable_seqscan = off
AS $$
BEGIN
    IF new_key IS NULL THEN
        RETURN NULL;
    ELSIF window_micros IS NULL THEN
        RETURN (
            SELECT id FROM jobs
            WHERE unique_key = new_key AND tenant = new_tenant AND job_type = new_type
                AND (hold = 'unfinished' OR state = 'pending')
            ORDER BY seq DESC LIMIT 1
        );
    END IF;
    RETURN (
        SELECT id FROM (
            SELECT id, seq, created_at FROM jobs
            WHERE unique_key = new_key AND tenant = new_tenant AND job_type = new_type
            UNION ALL
            SELECT id, seq, created_at FROM finished_jobs
            WHERE unique_key = new_key AND tenant = new_tenant AND job_type = new_type
        ) AS rivals
        WHERE created_at > clock() - micros(window_micros)
        ORDER BY seq DESC LIMIT 1
    );
END
$$;
