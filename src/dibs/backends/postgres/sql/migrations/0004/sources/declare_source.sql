CREATE FUNCTION {schema}.declare_source(
    asked text, rate bigint, new_burst bigint, quota bigint, new_limit bigint, pause bigint, is_enabled boolean,
    act_actor text, act_reason text
) RETURNS SETOF {schema}.sources
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
DECLARE
    before sources := open_source(asked);
    after sources;
BEGIN
    INSERT INTO sources (name, rate_limit_per_minute, burst, daily_quota, failure_limit, pause_micros, enabled)
    VALUES (asked, rate, new_burst, quota, new_limit, pause, is_enabled)
    ON CONFLICT (name) DO UPDATE
    SET rate_limit_per_minute = rate, burst = new_burst, daily_quota = quota, failure_limit = new_limit,
        pause_micros = pause, enabled = is_enabled
    RETURNING * INTO after;
    RETURN QUERY SELECT * FROM close_source(
        asked, 'SOURCE_DECLARED', act_actor, act_reason,
        json_build_object('before', show_source(before), 'after', show_source(after))
    );
END
$$;

-- Gives no permit before an instant; without one, none before somebody resumes the source.
CREATE FUNCTION {schema}.pause_source(
    asked text, pause_until timestamptz, act_actor text, act_reason text
) RETURNS SETOF {schema}.sources
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
DECLARE
    before sources := open_source(asked);
    after sources;
BEGIN
    INSERT INTO sources (name, enabled, paused_until) VALUES (asked, pause_until IS NOT NULL, pause_until)
    ON CONFLICT (name) DO UPDATE
    SET enabled = sources.enabled AND pause_until IS NOT NULL, paused_until = coalesce(pause_until, sources.paused_until)
    RETURNING * INTO after;
    RETURN QUERY SELECT * FROM close_source(
        asked, 'SOURCE_PAUSED', act_actor, act_reason,
        json_build_object('before', show_stand(before), 'after', show_stand(after))
    );
END
$$;

-- Enables a source, ends its pause and its wait, and closes its breaker.
CREATE FUNCTION {schema}.resume_source(asked text, act_actor text, act_reason text) RETURNS SETOF {schema}.sources
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
DECLARE
    before sources := open_source(asked);
    after sources;
BEGIN
    INSERT INTO sources (name) VALUES (asked)
    ON CONFLICT (name) DO UPDATE
    SET enabled = true, failure_streak = 0, paused_until = NULL, limited_until = NULL
    RETURNING * INTO after;
    RETURN QUERY SELECT * FROM close_source(
        asked, 'SOURCE_RESUMED', act_actor, act_reason,
        json_build_object('before', show_stand(before), 'after', show_stand(after))
    );
END
$$;
