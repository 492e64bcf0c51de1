-- Notes how a fetch went, as dibs.engine.admission.source.take_note has it; the breaker's steps go on record.
CREATE OR REPLACE FUNCTION {schema}.report_fetch(asked text, verdict text, token bigint, retry_micros bigint)
RETURNS SETOF {schema}.sources
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
DECLARE
    seen record;
    before sources;
    after sources;
    is_judge boolean;
    has_told boolean := false;
    fetched_at timestamptz := clock();
BEGIN
    INSERT INTO sources (name) VALUES (asked) ON CONFLICT (name) DO NOTHING;
    seen := see_source(asked, NULL, true);
    before := seen.source;
    after := before;
    -- Only the probe tells how a broken source is now: another fetch began before it broke.
    is_judge := before.failure_streak < before.failure_limit
        OR (token <> 0 AND token = coalesce(seen.probe_token, before.lone_probe));
    IF verdict IN ('provider_fault', 'parser_fault', 'host_fault') THEN
        after.last_failure_at := fetched_at;
    END IF;
    IF verdict = 'ok' THEN
        after := note_success(after, fetched_at, is_judge);
    ELSIF verdict = 'limited' THEN
        after.limited_until := greatest(before.limited_until, fetched_at + micros(retry_micros));
    ELSIF verdict = 'parser_fault' THEN
        after.parser_streak := before.parser_streak + 1;
    ELSIF verdict = 'host_fault' THEN
        after.host_streak := before.host_streak + 1;
    ELSIF is_judge THEN
        after := note_fault(after, fetched_at);
    END IF;
    IF after.failure_streak < after.failure_limit OR after.failure_streak <> before.failure_streak THEN
        -- Whoever tried it has told how it is, and may run on for hours: the next one must be able to try it again.
        after.probe_job := NULL;
        after.probe_token := NULL;
        has_told := before.probe_job IS NOT NULL;
    END IF;
    UPDATE sources
    SET failure_streak = after.failure_streak, parser_streak = after.parser_streak, host_streak = after.host_streak,
        last_success_at = after.last_success_at, last_failure_at = after.last_failure_at,
        paused_until = after.paused_until, limited_until = after.limited_until, lone_probe = after.lone_probe,
        probe_job = after.probe_job, probe_token = after.probe_token
    WHERE name = asked;
    PERFORM record_breaker(before, after);
    IF has_told THEN
        -- What waited for the probe waits for an instant from now on.
        PERFORM post_news(ARRAY['source:' || asked]);
    END IF;
    RETURN NEXT after;
END
$$;
