-- Renews leases, and tells the places of those that held.
CREATE FUNCTION {schema}.heartbeat_jobs(ids text[], tokens bigint[], lease_micros bigint) RETURNS SETOF integer
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
    SET heartbeat_at = clock(), lease_expires_at = clock() + micros(lease_micros)
    FROM (
        SELECT * FROM unnest(ids, tokens) WITH ORDINALITY AS asked (id, token, place)
        -- By id, as everybody locks rows, so that two batches never wait for each other.
        ORDER BY id COLLATE "C" OFFSET 0
    ) AS asked
    WHERE jobs.id BETWEEN asked.id AND asked.id AND jobs.lease_token = asked.token AND jobs.state = held_state
    RETURNING asked.place::integer;
END
$$;
