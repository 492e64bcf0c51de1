-- What code of version 3 and older calls: it knows of no costs.
CREATE OR REPLACE FUNCTION {schema}.store_jobs(
    ids text[], job_types text[], tenants text[], queues text[], priorities integer[], inputs text[],
    retries integer[], run_ats timestamptz[], concurrency_keys text[], sources text[], parent_ids text[],
    delay_micros bigint, told_queues text[],
    OUT stored_at timestamptz, OUT duplicate text
)
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
BEGIN
    SELECT done.stored_at, done.duplicate INTO stored_at, duplicate
    FROM store_jobs(
        ids, job_types, tenants, queues, priorities, inputs, retries, run_ats, concurrency_keys, sources, parent_ids,
        delay_micros, told_queues, NULL
    ) AS done;
END
$$;

CREATE OR REPLACE FUNCTION {schema}.store_unique_jobs(
    ids text[], job_types text[], tenants text[], queues text[], priorities integer[], inputs text[],
    retries integer[], run_ats timestamptz[], concurrency_keys text[], sources text[], parent_ids text[],
    delay_micros bigint, told_queues text[],
    unique_keys text[], hold text, window_micros bigint, on_conflict text
) RETURNS TABLE (stored_at timestamptz, duplicate text, rival text)
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
BEGIN
    RETURN QUERY SELECT * FROM store_unique_jobs(
        ids, job_types, tenants, queues, priorities, inputs, retries, run_ats, concurrency_keys, sources, parent_ids,
        delay_micros, told_queues, unique_keys, hold, window_micros, on_conflict, NULL
    );
END
$$;
