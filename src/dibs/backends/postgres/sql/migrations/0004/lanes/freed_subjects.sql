-- What the end of a running job may free: news of these is put among the arrivals.
CREATE FUNCTION {schema}.freed_subjects(
    job_id text, job_tenant text, job_key text, job_source text
) RETURNS SETOF text
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    IF job_source IS NOT NULL THEN
        RETURN NEXT 'source:' || job_source;
    END IF;
    IF job_key IS NOT NULL THEN
        RETURN NEXT 'key:' || job_tenant || E'\x1f' || job_key;
    END IF;
    RETURN QUERY SELECT 'tenant:' || name FROM rules WHERE kind = 'tenant' AND name = job_tenant;
    RETURN QUERY SELECT 'source:' || name FROM sources WHERE probe_job = job_id AND probe_job IS NOT NULL;
END
$$;

-- Whether the end of a plain job too may free something: its tenant has a rule, or it tries a broken source.
CREATE FUNCTION {schema}.is_watched(job_id text, job_tenant text) RETURNS boolean
LANGUAGE sql STABLE
AS $$
    SELECT EXISTS (SELECT FROM {schema}.rules WHERE kind = 'tenant' AND name = job_tenant)
        OR EXISTS (SELECT FROM {schema}.sources WHERE probe_job = job_id AND probe_job IS NOT NULL)
$$;
