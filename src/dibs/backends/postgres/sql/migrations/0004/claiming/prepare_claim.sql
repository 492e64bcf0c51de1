-- Brings the directory up to date, and looks at the most urgent plain jobs. A plain job that a rule has caught up with
-- is sent into its lane instead.
CREATE FUNCTION {schema}.prepare_claim(
    queues text[], job_types text[], only_tenant text, wanted integer,
    OUT ids text[], OUT priorities integer[], OUT seqs bigint[]
)
LANGUAGE plpgsql
AS $$
DECLARE
    has_rules boolean := has_rules();
    -- Many at a time, but not all: what a claim does must be done before its time is up, or it is done for nothing.
    at_once CONSTANT integer := greatest(wanted, 500);
    open record;
    caught text[] := '{}';
    newly text[];
BEGIN
    PERFORM relane_jobs(name, NULL, NULL, 1000) FROM rules WHERE kind = 'queue';
    FOR round IN 1 .. 5 LOOP
        open := find_open_lanes(queues, job_types, has_rules);
        SELECT array_agg(best.id ORDER BY best.priority DESC, best.seq),
            array_agg(best.priority ORDER BY best.priority DESC, best.seq),
            array_agg(best.seq ORDER BY best.priority DESC, best.seq)
        INTO ids, priorities, seqs
        FROM peek_plain(open.lane_queues, open.lane_types, only_tenant, at_once) AS best
        WHERE best.id <> ALL (caught);
        newly := find_governed(ids, has_rules);
        EXIT WHEN newly = '{}';
        PERFORM relane_jobs(NULL, NULL, newly, 0);
        caught := caught || newly;
    END LOOP;
    IF newly <> '{}' THEN
        SELECT array_agg(seen.id ORDER BY place), array_agg(seen.priority ORDER BY place), array_agg(seen.seq ORDER BY place)
        INTO ids, priorities, seqs
        FROM unnest(ids, priorities, seqs) WITH ORDINALITY AS seen (id, priority, seq, place)
        WHERE seen.id <> ALL (newly);
    END IF;
    PERFORM absorb_arrivals();
END
$$;

-- Looks, without locks, at the most urgent jobs of several plain lanes.
CREATE FUNCTION {schema}.peek_plain(
    lane_queues text[], lane_types text[], only_tenant text, wanted integer
) RETURNS TABLE (id text, priority integer, seq bigint)
LANGUAGE plpgsql
AS $$
BEGIN
    RETURN QUERY
    SELECT best.id::text, best.priority, best.seq
    FROM unnest(lane_queues, lane_types) AS lane (queue, job_type)
    CROSS JOIN LATERAL (
        SELECT jobs.id, jobs.priority, jobs.seq FROM jobs
        WHERE jobs.ready AND jobs.queue = lane.queue AND jobs.job_type = lane.job_type
            AND (only_tenant IS NULL OR jobs.tenant = only_tenant)
        ORDER BY jobs.priority DESC, jobs.seq
        LIMIT wanted
    ) AS best
    ORDER BY best.priority DESC, best.seq
    LIMIT wanted;
END
$$;
