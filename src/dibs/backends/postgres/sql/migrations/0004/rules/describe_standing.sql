-- All that decides whether a job may run, as JSON; what does not concern the job is left out. NULL: no such job.
CREATE FUNCTION {schema}.describe_standing(job_id text) RETURNS json
LANGUAGE plpgsql STABLE
SET search_path = {schema}, pg_temp
SET enable_seqscan = off
AS $$
DECLARE
    job record;
    answer jsonb := '{}';
BEGIN
    SELECT * INTO job FROM (
        SELECT id, tenant, queue, job_type, source, concurrency_key FROM jobs WHERE id = job_id
        UNION ALL
        SELECT id, tenant, queue, job_type, source, concurrency_key FROM finished_jobs WHERE id = job_id
    ) AS known;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    answer := jsonb_build_object('gates', (
        SELECT jsonb_agg(jsonb_build_object('body', body, 'set_at', set_at) ORDER BY name) FROM rules
        WHERE kind = 'gate' AND (expires_at IS NULL OR expires_at > clock()) AND scope_name IS NOT DISTINCT FROM
            CASE scope WHEN 'tenant' THEN job.tenant WHEN 'queue' THEN job.queue WHEN 'job_type' THEN job.job_type
                WHEN 'source' THEN job.source END
    ));
    IF job.source IS NOT NULL THEN
        answer := answer || jsonb_build_object(
            'source_name', job.source, 'source', (SELECT to_jsonb(sources) FROM sources WHERE name = job.source),
            'reserved_permits', (SELECT count(*) FROM jobs WHERE permit AND source = job.source AND id <> job_id),
            'is_probing', EXISTS (
                SELECT FROM sources JOIN jobs ON jobs.id = probe_job AND lease_token = probe_token
                WHERE name = job.source AND state = 'running' AND jobs.id <> job_id
            )
        );
    END IF;
    IF job.concurrency_key IS NOT NULL THEN
        answer := answer || jsonb_build_object(
            'key_limit', find_key_limit(job.concurrency_key),
            'key_running', (
                SELECT count(*) FROM jobs WHERE state = 'running' AND tenant = job.tenant
                    AND concurrency_key = job.concurrency_key AND id <> job_id
            )
        );
    END IF;
    RETURN answer || coalesce(describe_tenant(job.tenant, job_id), '{}');
END
$$;

-- What the rule of a tenant counts, without one job.
CREATE FUNCTION {schema}.describe_tenant(its_tenant text, but_not text) RETURNS jsonb
LANGUAGE sql STABLE
AS $$
    SELECT jsonb_build_object(
        'tenant', (SELECT body FROM {schema}.rules WHERE kind = 'tenant' AND name = its_tenant),
        'tenant_running', count(*), 'reserved_microcents', coalesce(sum(max_cost_microcents), 0),
        'spent_today_microcents', (SELECT coalesce(sum(cost), 0) FROM {schema}.spent
            WHERE tenant = its_tenant AND day >= {schema}.day_of({schema}.clock())),
        'spent_this_month_microcents', (SELECT coalesce(sum(cost), 0) FROM {schema}.spent
            WHERE tenant = its_tenant AND day >= {schema}.month_of({schema}.clock()))
    )
    FROM {schema}.jobs
    WHERE state = 'running' AND tenant = its_tenant AND id <> but_not
    HAVING EXISTS (SELECT FROM {schema}.rules WHERE kind = 'tenant' AND name = its_tenant)
$$;
