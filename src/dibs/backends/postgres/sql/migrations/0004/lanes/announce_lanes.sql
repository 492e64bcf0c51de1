-- Tells the next one at the door which lanes these jobs wait in: one line a lane.
CREATE FUNCTION {schema}.announce_lanes(ids text[]) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    -- First found by id, then looked at and sorted: a plan that begins with the lanes would read all of them.
    WITH found AS MATERIALIZED (
        SELECT job.*
        FROM unnest(ids) AS asked (id)
        CROSS JOIN LATERAL (
            SELECT lane, queue, job_type, tenant, source, concurrency_key, priority, seq, max_cost_microcents AS max_cost
            FROM jobs WHERE jobs.id BETWEEN asked.id AND asked.id OFFSET 0
        ) AS job
    )
    INSERT INTO arrivals (lane, queue, job_type, tenant, source, concurrency_key, priority, seq, max_cost)
    SELECT DISTINCT ON (lane) lane, queue, job_type, tenant, source, concurrency_key, priority, seq, max_cost FROM found
    WHERE lane IS NOT NULL
    ORDER BY lane, priority DESC, seq;
END
$$;

-- Tells that a job has left its lane without having been claimed: another one speaks for the lane now.
CREATE FUNCTION {schema}.announce_leaving(job {schema}.jobs) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO arrivals (lane, queue, job_type, tenant, source, concurrency_key, priority, seq, max_cost)
    VALUES (
        job.lane, job.queue, job.job_type, job.tenant, job.source, job.concurrency_key,
        -2147483648, 9223372036854775807, job.max_cost_microcents
    );
END
$$;
