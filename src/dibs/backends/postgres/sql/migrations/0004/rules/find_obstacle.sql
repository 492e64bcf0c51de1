-- The first thing that holds back the jobs of a lane, as dibs.engine.admission.obstacle has it:
-- the barrier, news of what may open it, and when it opens by itself. NULL: they may run.
CREATE FUNCTION {schema}.find_obstacle(
    waiting {schema}.lanes, OUT barrier text, OUT subject text, OUT until timestamptz
)
LANGUAGE plpgsql
AS $$
DECLARE
    seen record;
BEGIN
    SELECT gate, found.until INTO barrier, until
    FROM find_gate(waiting.queue, waiting.job_type, waiting.tenant, waiting.source) AS found;
    IF barrier IS NOT NULL THEN
        barrier := 'gate:' || barrier;
        subject := 'gate';
        RETURN;
    END IF;
    IF waiting.source IS NOT NULL THEN
        seen := see_source(waiting.source, NULL);
        IF (seen.source).name IS NOT NULL THEN
            SELECT 'source:' || waiting.source, 'source:' || waiting.source, found.until
            INTO barrier, subject, until
            FROM find_source_wait(
                seen.source, instant_at(seen.source), seen.reserved, seen.prober IS NOT NULL
            ) AS found
            WHERE why IS NOT NULL;
            IF barrier IS NOT NULL THEN
                RETURN;
            END IF;
        END IF;
    END IF;
    IF waiting.concurrency_key IS NOT NULL AND find_key_limit(waiting.concurrency_key) <= (
        SELECT count(*) FROM jobs
        WHERE state = 'running' AND tenant = waiting.tenant AND concurrency_key = waiting.concurrency_key
    ) THEN
        barrier := 'key:' || waiting.tenant || E'\x1f' || waiting.concurrency_key;
        subject := barrier;
        until := 'infinity';
        RETURN;
    END IF;
    SELECT found.barrier, 'tenant:' || waiting.tenant, found.until INTO barrier, subject, until
    FROM find_tenant_wait(waiting.tenant, waiting.max_cost) AS found;
END
$$;
