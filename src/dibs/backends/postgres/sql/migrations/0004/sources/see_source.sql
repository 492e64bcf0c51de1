-- A source with what others hold of it: unspent permits, and the probe. Whoever decides about permits comes through here,
-- one after another until the transaction ends, so that two never give away the same one. Only who is going to change the
-- source locks its row: an operator does not wait for a claim.
CREATE FUNCTION {schema}.see_source(
    asked text, but_not text, is_changing boolean, OUT source {schema}.sources, OUT reserved bigint, OUT prober text, OUT probe_token bigint
)
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(lock_of('source:' || asked));
    IF is_changing THEN
        SELECT sources.* INTO source FROM sources WHERE name = asked FOR UPDATE;
    ELSE
        SELECT sources.* INTO source FROM sources WHERE name = asked;
    END IF;
    IF source.name IS NULL THEN
        RETURN;
    END IF;
    reserved := (
        SELECT count(*) FROM jobs
        WHERE permit AND jobs.source = asked AND (but_not IS NULL OR id <> but_not)
    );
    IF source.probe_job IS NOT NULL THEN
        SELECT id, lease_token INTO prober, probe_token
        FROM jobs
        WHERE id = source.probe_job AND lease_token = source.probe_token AND state = 'running';
    END IF;
END
$$;

-- The instant by which a source judges: a call that waited over midnight does not go back to the day before.
CREATE FUNCTION {schema}.instant_at(source {schema}.sources) RETURNS timestamptz
LANGUAGE sql STABLE
AS $$
    SELECT CASE
        WHEN source.quota_day BETWEEN {schema}.clock() AND {schema}.clock() + interval '1 minute' THEN source.quota_day
        ELSE {schema}.clock()
    END
$$;
