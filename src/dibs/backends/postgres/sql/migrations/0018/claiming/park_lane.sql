-- Puts a refused lane behind its barrier. One that has no known end is tried again after a while all the same: the news
-- that opens it is not missed, but where it could be, a while is better than for ever.
CREATE OR REPLACE FUNCTION {schema}.park_lane(
    refused {schema}.lanes, new_barrier text, news text, opens_at timestamptz
) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    is_known boolean := opens_at < 'infinity';
    again_at timestamptz := least(
        CASE WHEN is_known THEN opens_at ELSE clock() + interval '2 minutes' END, find_second_look(refused.tenant, new_barrier)
    );
BEGIN
    INSERT INTO barriers (queue, job_type, barrier, subject, until, is_known, noted_at)
    VALUES (refused.queue, refused.job_type, new_barrier, news, again_at, is_known, clock())
    ON CONFLICT (queue, job_type, barrier) DO UPDATE
    SET until = excluded.until, is_known = excluded.is_known, noted_at = excluded.noted_at;
    IF refused.barrier <> new_barrier THEN
        UPDATE lanes SET barrier = new_barrier WHERE lane = refused.lane;
        IF new_barrier NOT LIKE ALL (ARRAY['key:%', 'budget:%']) THEN
            -- It holds all lanes of the same tenant and source back, whatever their key and cost. By their addresses:
            -- else a plan made beside a few lanes would look for each of them from the beginning.
            UPDATE lanes SET barrier = new_barrier
            WHERE ctid = ANY (ARRAY (
                SELECT ctid FROM lanes
                WHERE queue = refused.queue AND job_type = refused.job_type AND barrier = refused.barrier
                    AND tenant = refused.tenant AND source IS NOT DISTINCT FROM refused.source
                LIMIT 2000
            ));
        END IF;
    END IF;
END
$$;

-- When to look again at a tenant that is held back by its rule, whatever news there is. The end of a job that was under
-- way when the rule was set does not know of it, and brings none: as long as such jobs count, the older the rule, the later.
CREATE FUNCTION {schema}.find_second_look(its_tenant text, its_barrier text) RETURNS timestamptz
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    IF its_barrier NOT LIKE ALL (ARRAY['cap:%', 'budget:%']) THEN
        RETURN NULL;
    END IF;
    RETURN (
        SELECT clock() + greatest(clock() - rules.set_at, interval '1 second') FROM rules
        WHERE rules.kind = 'tenant' AND rules.name = its_tenant AND EXISTS (
            -- A rule is dated when it was asked for, and may have waited for claims that came later.
            SELECT FROM jobs
            WHERE jobs.state = 'running' AND jobs.tenant = its_tenant AND jobs.locked_at <= rules.set_at + interval '1 minute'
        )
    );
END
$$;
