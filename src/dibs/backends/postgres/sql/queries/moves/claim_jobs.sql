SELECT
    id, job_type, tenant, queue, priority, input::text, max_retries, run_at, unique_key, concurrency_key, source,
    parent_id, error::text, progress::text, cost_microcents, attempts, worker_deaths, lease_token, locked_at,
    lease_expires_at, created_at, started_at, max_cost_microcents
FROM {schema}.claim_jobs($1::text, $2::integer, $3::bigint, $4::text[], $5::text[], $6::text, $7::boolean)
