-- How many jobs with a concurrency key may run at once in a tenant: by its own rule, else by that of its family.
CREATE FUNCTION {schema}.find_key_limit(job_key text) RETURNS bigint
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN coalesce(
        (SELECT (body ->> 'max_running')::bigint FROM rules WHERE kind = 'key' AND name = job_key),
        (
            SELECT (body ->> 'max_running')::bigint FROM rules
            WHERE kind = 'key' AND strpos(job_key, ':') > 0 AND name = split_part(job_key, ':', 1) || ':'
        ),
        1
    );
END
$$;
