-- A job as JSON, wherever it is.
CREATE FUNCTION {schema}.describe_job(job_id text) RETURNS text
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
BEGIN
    RETURN coalesce(
        (SELECT to_json(jobs)::text FROM jobs WHERE id = job_id),
        (SELECT to_json(finished_jobs)::text FROM finished_jobs WHERE id = job_id)
    );
END
$$;
