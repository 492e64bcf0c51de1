-- Whether jobs of a tenant in a queue are governed, whatever they name.
CREATE FUNCTION {schema}.is_ruled(job_tenant text, job_queue text) RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN EXISTS (SELECT FROM rules WHERE kind = 'tenant' AND name = job_tenant)
        OR EXISTS (SELECT FROM rules WHERE kind = 'gate' AND name = 'tenant:' || job_tenant)
        OR EXISTS (SELECT FROM rules WHERE kind = 'queue' AND name = job_queue);
END
$$;
