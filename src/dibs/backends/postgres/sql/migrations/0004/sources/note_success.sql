CREATE FUNCTION {schema}.note_success(source {schema}.sources, fetched_at timestamptz, is_judge boolean)
RETURNS {schema}.sources
LANGUAGE plpgsql IMMUTABLE
AS $$
BEGIN
    IF is_judge THEN
        IF source.failure_streak >= source.failure_limit THEN
            source.paused_until := NULL;
        END IF;
        source.failure_streak := 0;
    END IF;
    source.last_success_at := fetched_at;
    source.parser_streak := 0;
    source.host_streak := 0;
    RETURN source;
END
$$;

-- Puts the opening and the closing of a breaker on record, and tells those who wait that a source is well again.
CREATE FUNCTION {schema}.record_breaker(before {schema}.sources, after {schema}.sources) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    was_broken boolean := before.failure_streak >= before.failure_limit;
    is_broken boolean := after.failure_streak >= after.failure_limit;
BEGIN
    IF was_broken = is_broken THEN
        RETURN;
    END IF;
    INSERT INTO audit (at, tenant, actor, action, subject, detail)
    VALUES (
        clock(), '*', 'dibs:breaker', CASE WHEN is_broken THEN 'SOURCE_BROKEN' ELSE 'SOURCE_MENDED' END,
        'source:' || after.name, json_build_object('failure_streak', after.failure_streak)
    );
    IF was_broken THEN
        PERFORM post_news(ARRAY['source:' || after.name]);
    END IF;
END
$$;
