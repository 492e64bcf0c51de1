-- Why a source gives no permit: the same words as dibs.engine.admission.source.find_wait. NULL: it gives one.
CREATE FUNCTION {schema}.find_source_wait(
    source {schema}.sources, instant timestamptz, reserved bigint, is_probing boolean,
    OUT why text, OUT until timestamptz
)
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    step interval := micros(ceil(60000000.0 / source.rate_limit_per_minute)::bigint);
    used bigint := CASE WHEN source.quota_day = day_of(instant) THEN source.quota_used ELSE 0 END;
BEGIN
    until := 'infinity';
    IF NOT source.enabled THEN
        why := 'disabled';
    ELSIF source.paused_until > instant THEN
        why := 'paused';
        until := source.paused_until;
    ELSIF source.failure_streak >= source.failure_limit AND is_probing THEN
        why := 'probing';
    ELSIF source.limited_until > instant THEN
        why := 'limited';
        until := source.limited_until;
    ELSIF used + reserved >= source.daily_quota THEN
        why := 'quota';
        until := day_after(instant);
    ELSIF greatest(instant, source.next_free_at) + step * (reserved - source.burst + 1) > instant THEN
        IF reserved >= source.burst THEN
            -- Time alone frees none: a running job must spend its permit or give it back first.
            why := 'awaited';
        ELSE
            why := 'limited';
            until := greatest(instant, source.next_free_at) + step * (reserved - source.burst + 1);
        END IF;
    END IF;
END
$$;
