-- What the end of a running job may free: news of these is put among the arrivals.
CREATE FUNCTION {schema}.freed_subjects(
    job_id text, job_tenant text, job_key text, job_source text, is_watched boolean
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
    IF is_watched THEN
        RETURN NEXT 'tenant:' || job_tenant;
        RETURN QUERY SELECT 'source:' || name FROM sources WHERE probe_job = job_id AND probe_job IS NOT NULL;
    END IF;
END
$$;

-- Whether the end of a plain job too may free something: its tenant has a rule, or it tries a broken source.
CREATE FUNCTION {schema}.is_watched() RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN EXISTS (SELECT FROM rules WHERE kind = 'tenant')
        OR EXISTS (SELECT FROM sources WHERE probe_job IS NOT NULL);
END
$$;
