-- Before an operator changes a source: waits for the claims in progress, and gives the source as it stands, locked.
CREATE FUNCTION {schema}.open_source(asked text) RETURNS {schema}.sources
LANGUAGE plpgsql
AS $$
DECLARE
    found sources;
BEGIN
    PERFORM lock_rules();
    SELECT * INTO found FROM sources WHERE name = asked FOR UPDATE;
    RETURN found;
END
$$;

-- Afterwards: puts it on record, tells those who wait, and gives the source as it stands now.
CREATE FUNCTION {schema}.close_source(asked text, act_action text, act_actor text, act_reason text, act_detail json)
RETURNS SETOF {schema}.sources
LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO audit (at, tenant, actor, action, subject, reason, detail)
    VALUES (clock(), '*', act_actor, act_action, 'source:' || asked, act_reason, act_detail);
    PERFORM post_news(ARRAY['source:' || asked]);
    RETURN QUERY SELECT * FROM sources WHERE name = asked;
END
$$;

-- What is declared of a source, as the audit log shows it.
CREATE FUNCTION {schema}.show_source(source {schema}.sources) RETURNS json
LANGUAGE sql STABLE
AS $$
    SELECT CASE WHEN source.name IS NOT NULL THEN json_build_object(
        'name', source.name, 'rate_limit_per_minute', source.rate_limit_per_minute, 'burst', source.burst,
        'daily_quota', source.daily_quota, 'failure_limit', source.failure_limit,
        'pause', {schema}.show_span(source.pause_micros), 'enabled', source.enabled
    ) END
$$;

-- An instant as ISO 8601 has it.
CREATE FUNCTION {schema}.show_instant(instant timestamptz) RETURNS text
LANGUAGE sql STABLE
AS $$ SELECT to_char(instant AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"') $$;

-- How a source stands, as an operator changes it.
CREATE FUNCTION {schema}.show_stand(source {schema}.sources) RETURNS json
LANGUAGE sql STABLE
AS $$
    SELECT CASE WHEN source.name IS NOT NULL THEN json_build_object(
        'enabled', source.enabled, 'failure_streak', source.failure_streak,
        'paused_until', {schema}.show_instant(source.paused_until),
        'limited_until', {schema}.show_instant(source.limited_until)
    ) END
$$;

-- A duration as ISO 8601 has it: days and seconds.
CREATE FUNCTION {schema}.show_span(span bigint) RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
    SELECT CASE WHEN span = 0 THEN 'P0D' ELSE
        'P' || coalesce(nullif(span / 86400000000, 0) || 'D', '')
        || coalesce('T' || nullif(trim_scale(span % 86400000000 / 1000000.0), 0) || 'S', '')
    END
$$;
