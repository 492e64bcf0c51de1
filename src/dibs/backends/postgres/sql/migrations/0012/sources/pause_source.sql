-- Gives no permit before an instant; without one, none before somebody resumes the source. The breaker's own pause is not
-- cut short; under an operator's longer one its last fault says when it ends.
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
            WHEN sources.failure_streak < sources.failure_limit THEN pause_until
            WHEN sources.paused_until IS DISTINCT FROM sources.held_until
                THEN greatest(pause_until, sources.paused_until)
            ELSE greatest(pause_until, sources.last_failure_at + micros(sources.pause_micros))
        END
    RETURNING * INTO after;
    RETURN QUERY SELECT * FROM close_source(
        asked, 'SOURCE_PAUSED', act_actor, act_reason,
        json_build_object('before', show_stand(before), 'after', show_stand(after))
    );
END
$$;
