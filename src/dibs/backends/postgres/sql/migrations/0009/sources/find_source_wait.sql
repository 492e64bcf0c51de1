-- How far apart the permits of a source are.
CREATE FUNCTION {schema}.step_of(source {schema}.sources) RETURNS interval
LANGUAGE sql STABLE
AS $$ SELECT coalesce({schema}.micros(ceil(60000000.0 / source.rate_limit_per_minute)::bigint), interval '0') $$;

-- The pace as it is believed, as dibs.engine.admission.source has it: after a clock was set back one permit is free.
CREATE FUNCTION {schema}.next_free(source {schema}.sources, instant timestamptz) RETURNS timestamptz
LANGUAGE sql STABLE
AS $$
    SELECT CASE
        WHEN source.next_free_at IS NULL OR source.next_free_at <= instant THEN instant
        WHEN source.next_free_at <= instant + {schema}.step_of(source) * (source.burst * 21) + interval '1 minute'
            THEN source.next_free_at
        ELSE instant + {schema}.step_of(source) * (source.burst - 1)
    END
$$;

-- When a pause ends that is to be believed: one of the breaker's is no longer than it pauses. The fetch that tries the
-- source is held by an operator's only.
CREATE FUNCTION {schema}.pause_end(source {schema}.sources, instant timestamptz, hop_of bigint) RETURNS timestamptz
LANGUAGE sql STABLE
AS $$
    SELECT CASE
        WHEN hop_of > 0 AND hop_of = source.lone_probe THEN source.held_until
        WHEN source.failure_streak >= source.failure_limit
            AND source.paused_until > instant + {schema}.micros(source.pause_micros) + interval '1 minute'
            THEN source.held_until
        ELSE greatest(source.held_until, source.paused_until)
    END
$$;

-- Why a source gives no permit: the same words as dibs.engine.admission.source.find_wait. NULL: it gives one.
CREATE FUNCTION {schema}.find_source_wait(
    source {schema}.sources, instant timestamptz, reserved bigint, is_probing boolean, hop_of bigint DEFAULT NULL,
    OUT why text, OUT until timestamptz
)
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    ends timestamptz := pause_end(source, instant, hop_of);
    free_at timestamptz := next_free(source, instant) + step_of(source) * (reserved - source.burst + 1);
    used bigint := CASE day_of(instant)
        WHEN source.quota_day THEN source.quota_used WHEN source.earlier_day THEN source.earlier_used ELSE 0
    END;
BEGIN
    until := 'infinity';
    IF NOT source.enabled THEN
        why := 'disabled';
    ELSIF ends > instant THEN
        why := 'paused';
        until := ends;
    ELSIF source.failure_streak >= source.failure_limit AND is_probing THEN
        why := 'probing';
    ELSIF source.limited_until > instant AND hop_of IS NULL THEN
        why := 'limited';
        until := source.limited_until;
    ELSIF used + reserved >= source.daily_quota THEN
        why := 'quota';
        until := day_after(instant);
    ELSIF source.rate_limit_per_minute IS NOT NULL AND free_at > instant AND hop_of IS NULL THEN
        IF reserved >= source.burst THEN
            -- Time alone frees none: a running job must spend its permit or give it back first.
            why := 'awaited';
        ELSE
            why := 'limited';
            until := free_at;
        END IF;
    END IF;
END
$$;
