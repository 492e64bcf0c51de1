-- The gate that keeps a source from being asked; behind a draining one running jobs may.
CREATE FUNCTION {schema}.find_source_gate(asked text, is_in_job boolean, OUT gate text, OUT until timestamptz)
LANGUAGE sql STABLE
AS $$
    SELECT name, expires_at FROM {schema}.rules
    WHERE kind = 'gate' AND name = 'source:' || asked AND (expires_at IS NULL OR expires_at > {schema}.clock())
        AND (mode = 'closed' OR NOT is_in_job)
$$;

-- Notes that one permit is spent; `lone`: the number of a fetch outside of jobs that tries a broken source, or 0.
CREATE FUNCTION {schema}.spend_permit(spent {schema}.sources, instant timestamptz, prober text, token bigint, lone bigint)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    today timestamptz := day_of(instant);
    is_broken boolean := spent.failure_streak >= spent.failure_limit;
BEGIN
    spent.next_free_at := next_free(spent, instant) + step_of(spent);
    IF today = spent.quota_day THEN
        spent.quota_used := spent.quota_used + 1;
    ELSIF today = spent.earlier_day THEN
        spent.earlier_used := spent.earlier_used + 1;
    ELSE
        spent.earlier_day := spent.quota_day;
        spent.earlier_used := spent.quota_used;
        spent.quota_day := today;
        spent.quota_used := 1;
    END IF;
    IF lone > 0 THEN
        -- It cannot be seen to end: it has a pause to itself.
        spent.paused_until := instant + micros(spent.pause_micros);
        spent.lone_probe := lone;
    ELSIF is_broken THEN
        spent.probe_job := prober;
        spent.probe_token := token;
    END IF;
    UPDATE sources
    SET next_free_at = spent.next_free_at, quota_day = spent.quota_day, quota_used = spent.quota_used,
        earlier_day = spent.earlier_day, earlier_used = spent.earlier_used, paused_until = spent.paused_until,
        lone_probe = spent.lone_probe, probe_job = spent.probe_job, probe_token = spent.probe_token
    WHERE name = spent.name;
END
$$;

-- Spends one permit of a source now: the one that the job's claim reserved, or one more; NULL: outside of jobs. `hop_of`:
-- the token of the fetch whose redirect is followed. How it went is reported under `report_token`.
CREATE FUNCTION {schema}.take_permit(
    asked text, job_id text, token bigint, hop_of bigint,
    OUT granted boolean, OUT until timestamptz, OUT is_lease_lost boolean, OUT report_token bigint
)
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
DECLARE
    held jobs;
    seen record;
    instant timestamptz;
    lone bigint := 0;
BEGIN
    granted := false;
    is_lease_lost := false;
    report_token := coalesce(token, 0);
    IF job_id IS NOT NULL THEN
        -- First the job, then the source: whoever decides about permits never waits for a job while he holds a source.
        SELECT * INTO held FROM jobs WHERE id = job_id AND lease_token = token AND state = 'running' FOR UPDATE;
        IF NOT FOUND THEN
            is_lease_lost := true;
            RETURN;
        END IF;
    END IF;
    SELECT shut.until INTO until FROM find_source_gate(asked, job_id IS NOT NULL) AS shut WHERE shut.gate IS NOT NULL;
    IF FOUND THEN
        RETURN;
    END IF;
    INSERT INTO sources (name) VALUES (asked) ON CONFLICT (name) DO NOTHING;
    seen := see_source(asked, job_id, true);
    instant := instant_at(seen.source);
    SELECT nullif(wait.until, 'infinity') INTO until
    FROM find_source_wait(
        seen.source, instant, seen.reserved, seen.prober IS NOT NULL AND seen.prober IS DISTINCT FROM job_id, hop_of
    ) AS wait
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
    IF job_id IS NULL AND (seen.source).failure_streak >= (seen.source).failure_limit THEN
        lone := coalesce(nullif(hop_of, 0), nextval('tokens'));
        report_token := lone;
    END IF;
    PERFORM spend_permit(seen.source, instant, job_id, token, lone);
END
$$;

-- What code of versions 4 to 6 calls.
CREATE OR REPLACE FUNCTION {schema}.take_permit(
    asked text, job_id text, token bigint, OUT granted boolean, OUT until timestamptz, OUT is_lease_lost boolean
)
LANGUAGE sql
SET search_path = {schema}, pg_temp
AS $$
    SELECT taken.granted, taken.until, taken.is_lease_lost
    FROM take_permit(asked, job_id, token, NULL::bigint) AS taken
$$;
