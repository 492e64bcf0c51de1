-- Keeps how far running jobs are.
CREATE FUNCTION {schema}.report_progress(ids text[], tokens bigint[], reports text[]) RETURNS SETOF integer
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
SET plan_cache_mode = force_generic_plan
SET jit = off
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
    -- No literal, and BETWEEN below: else a plan made on an empty table would walk an index of all jobs.
    held_state CONSTANT text := 'running';
BEGIN
    RETURN QUERY
    UPDATE jobs
    SET progress = asked.report::json
    FROM (
        SELECT * FROM unnest(ids, tokens, reports) WITH ORDINALITY AS asked (id, token, report, place)
        -- By id, as everybody locks rows, so that two batches never wait for each other.
        ORDER BY id COLLATE "C" OFFSET 0
    ) AS asked
    WHERE jobs.id BETWEEN asked.id AND asked.id AND jobs.lease_token = asked.token AND jobs.state = held_state
    RETURNING asked.place::integer;
END
$$;
