-- What every end of running jobs brings: news of what they held, what they cost, and the lanes that they went back to.
CREATE FUNCTION {schema}.settle_ends(
    ids text[], tenants text[], keys text[], sources text[], costs bigint[]
) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    is_watched boolean := is_watched();
    news text[];
BEGIN
    news := ARRAY (
        SELECT subject
        FROM unnest(ids, tenants, keys, sources) AS ended (id, tenant, concurrency_key, source)
        CROSS JOIN LATERAL freed_subjects(id, tenant, concurrency_key, source, is_watched) AS subject
        WHERE source IS NOT NULL OR concurrency_key IS NOT NULL OR is_watched
    );
    IF news <> '{}' THEN
        PERFORM post_news(news);
    END IF;
    INSERT INTO spent (tenant, day, cost)
    SELECT ended.tenant, day_of(clock()), sum(ended.cost) FROM unnest(tenants, costs) AS ended (tenant, cost)
    WHERE ended.cost > 0
    GROUP BY ended.tenant;
    PERFORM announce_lanes(ids);
END
$$;

-- The lane in which a job waits again after a pause; NULL for a plain one, and while it is not due.
CREATE FUNCTION {schema}.put_back_lane(job {schema}.jobs, pause bigint, has_rules boolean) RETURNS uuid
LANGUAGE sql STABLE
AS $$
    SELECT CASE
        WHEN coalesce({schema}.clock() + {schema}.micros(pause), job.run_at) > {schema}.clock() THEN NULL
        WHEN job.source IS NULL AND job.concurrency_key IS NULL AND NOT has_rules THEN NULL
        ELSE {schema}.lane_of(
            job.queue, job.job_type, job.tenant, job.source, job.concurrency_key, job.max_cost_microcents, has_rules
        )
    END
$$;

-- The same, of rows. One array is made much faster than five, and mostly it is empty.
CREATE FUNCTION {schema}.settle_ends_of(ended {schema}.ended_job[]) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM settle_ends(
        array_agg(id), array_agg(tenant), array_agg(concurrency_key), array_agg(source), array_agg(cost)
    )
    FROM unnest(ended);
END
$$;
