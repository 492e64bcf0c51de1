-- Spends one permit of a source now: the one that the job's claim reserved, or one more; NULL: outside of jobs.
CREATE FUNCTION {schema}.take_permit(
    asked text, job_id text, token bigint, OUT granted boolean, OUT until timestamptz, OUT is_lease_lost boolean
)
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
DECLARE
    held jobs;
    seen record;
    instant timestamptz;
BEGIN
    granted := false;
    is_lease_lost := false;
    IF job_id IS NOT NULL THEN
        -- First the job, then the source: whoever decides about permits never waits for a job while he holds a source.
        SELECT * INTO held FROM jobs WHERE id = job_id AND lease_token = token AND state = 'running' FOR UPDATE;
        IF NOT FOUND THEN
            is_lease_lost := true;
            RETURN;
        END IF;
    END IF;
    INSERT INTO sources (name) VALUES (asked) ON CONFLICT (name) DO NOTHING;
    seen := see_source(asked, job_id, true);
    instant := instant_at(seen.source);
    SELECT nullif(wait.until, 'infinity') INTO until
    FROM find_source_wait(seen.source, instant, seen.reserved, seen.prober IS NOT NULL AND seen.prober IS DISTINCT FROM job_id)
        AS wait
    WHERE wait.why IS NOT NULL;
    IF FOUND THEN
        RETURN;
    END IF;
    granted := true;
    IF held.permit AND held.source = asked THEN
        UPDATE jobs SET permit = false WHERE id = job_id;
        -- What was awaited has an instant from now on.
        PERFORM post_news(ARRAY['source:' || asked]);
    END IF;
    UPDATE sources
    SET next_free_at = greatest(instant, next_free_at)
            + coalesce(micros(ceil(60000000.0 / rate_limit_per_minute)::bigint), interval '0'),
        quota_used = CASE WHEN quota_day = day_of(instant) THEN quota_used ELSE 0 END + 1, quota_day = day_of(instant),
        -- One outside of jobs that tries a broken source cannot be seen to end: it has a pause to itself.
        paused_until = CASE
            WHEN failure_streak >= failure_limit AND job_id IS NULL THEN instant + micros(pause_micros)
            ELSE paused_until
        END,
        probe_job = CASE WHEN failure_streak >= failure_limit THEN coalesce(job_id, probe_job) ELSE probe_job END,
        probe_token = CASE
            WHEN failure_streak >= failure_limit AND job_id IS NOT NULL THEN token ELSE sources.probe_token
        END
    WHERE name = asked;
END
$$;
