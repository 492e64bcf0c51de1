-- An instant takes a client as long to read as ten other columns. So those that the claimer can tell by itself stay away,
-- and two that many rows share travel as the eight bytes that they are.
SELECT
    id, job_type, tenant, queue, priority, input::text, max_retries, nullif(run_at, created_at), unique_key,
    concurrency_key, source, parent_id, error::text, progress::text, cost_microcents, attempts, worker_deaths,
    lease_token, timestamptz_send(locked_at), timestamptz_send(created_at), nullif(started_at, locked_at),
    max_cost_microcents
FROM {schema}.claim_jobs($1::text, $2::integer, $3::bigint, $4::text[], $5::text[], $6::text, $7::boolean)
