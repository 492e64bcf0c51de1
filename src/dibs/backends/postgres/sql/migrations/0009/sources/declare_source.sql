-- Where the pace of a source is under another rule: ahead by as many permits, at most by a burst.
CREATE FUNCTION {schema}.keep_pace(before {schema}.sources, after {schema}.sources) RETURNS timestamptz
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    permits numeric;
BEGIN
    IF before.next_free_at IS NULL OR before.rate_limit_per_minute IS NULL
        OR (step_of(before), before.burst) = (step_of(after), after.burst) THEN
        RETURN before.next_free_at;
    END IF;
    permits := extract(epoch FROM next_free(before, clock()) - clock()) / extract(epoch FROM step_of(before));
    RETURN clock() + least(
        micros(ceil(permits * extract(epoch FROM step_of(after)) * 1000000)::bigint), step_of(after) * after.burst
    );
END
$$;

-- NULL for `is_enabled`: as it was, and a new one is.
CREATE OR REPLACE FUNCTION {schema}.declare_source(
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
    VALUES (asked, rate, new_burst, quota, new_limit, pause, coalesce(is_enabled, true))
    ON CONFLICT (name) DO UPDATE
    SET rate_limit_per_minute = rate, burst = new_burst, daily_quota = quota, failure_limit = new_limit,
        pause_micros = pause, enabled = coalesce(is_enabled, sources.enabled)
    RETURNING * INTO after;
    UPDATE sources SET next_free_at = keep_pace(before, after)
    WHERE name = asked AND next_free_at IS DISTINCT FROM keep_pace(before, after);
    RETURN QUERY SELECT * FROM close_source(
        asked, 'SOURCE_DECLARED', act_actor, act_reason,
        json_build_object('before', show_source(before), 'after', show_source(after))
    );
END
$$;

-- Gives no permit before an instant; without one, none before somebody resumes the source. The breaker's own pause is not
-- cut short.
CREATE OR REPLACE FUNCTION {schema}.pause_source(
    asked text, pause_until timestamptz, act_actor text, act_reason text
) RETURNS SETOF {schema}.sources
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
DECLARE
    before sources := open_source(asked);
    after sources;
BEGIN
    INSERT INTO sources (name, enabled, paused_until, held_until)
    VALUES (asked, pause_until IS NOT NULL, pause_until, pause_until)
    ON CONFLICT (name) DO UPDATE
    SET enabled = sources.enabled AND pause_until IS NOT NULL, held_until = coalesce(pause_until, sources.held_until),
        paused_until = CASE
            WHEN pause_until IS NULL THEN sources.paused_until
            WHEN sources.failure_streak >= sources.failure_limit
                AND sources.paused_until IS DISTINCT FROM sources.held_until
                THEN greatest(pause_until, sources.paused_until)
            ELSE pause_until
        END
    RETURNING * INTO after;
    RETURN QUERY SELECT * FROM close_source(
        asked, 'SOURCE_PAUSED', act_actor, act_reason,
        json_build_object('before', show_stand(before), 'after', show_stand(after))
    );
END
$$;

-- Enables a source, ends its pause and its wait, and closes its breaker.
CREATE OR REPLACE FUNCTION {schema}.resume_source(asked text, act_actor text, act_reason text)
RETURNS SETOF {schema}.sources
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
DECLARE
    before sources := open_source(asked);
    after sources;
BEGIN
    INSERT INTO sources (name) VALUES (asked)
    ON CONFLICT (name) DO UPDATE
    SET enabled = true, failure_streak = 0, paused_until = NULL, held_until = NULL, limited_until = NULL, lone_probe = 0
    RETURNING * INTO after;
    RETURN QUERY SELECT * FROM close_source(
        asked, 'SOURCE_RESUMED', act_actor, act_reason,
        json_build_object('before', show_stand(before), 'after', show_stand(after))
    );
END
$$;
