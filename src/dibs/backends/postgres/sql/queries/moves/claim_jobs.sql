-- An instant takes a client as long to read as ten other columns. So those that the claimer can tell by itself stay away,
-- and two that many rows share travel as the eight bytes that they are.
-- Contents that are larger than $8 stay away, too (`input` is NULL then): the claim is committed only when its answer has gone
-- out, and what does not fit between the machines would wait for a claimer that has stopped reading.
SELECT
    id, job_type, tenant, queue, priority, CASE WHEN fits THEN input::text END, max_retries, nullif(run_at, created_at),
    unique_key, concurrency_key, source, parent_id, CASE WHEN fits THEN error::text END,
    CASE WHEN fits THEN progress::text END, cost_microcents, attempts, worker_deaths, lease_token,
    timestamptz_send(locked_at), timestamptz_send(created_at), nullif(started_at, locked_at), max_cost_microcents
FROM {schema}.claim_jobs($1::text, $2::integer, $3::bigint, $4::text[], $5::text[], $6::text, $7::boolean) AS given
CROSS JOIN LATERAL (
    SELECT octet_length(given.input::text) + coalesce(octet_length(given.error::text), 0)
        + coalesce(octet_length(given.progress::text), 0) <= $8::integer AS fits
    OFFSET 0
) AS sized
