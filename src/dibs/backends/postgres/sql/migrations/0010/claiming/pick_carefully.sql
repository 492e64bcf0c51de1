-- Locks the most urgent free jobs of several lanes from their floors on. A lane without floors, or with stale ones, is looked
-- through from its beginning, and gets floors if that took long.
CREATE FUNCTION {schema}.pick_carefully(
    lane_queues text[], lane_types text[], only_tenant text, wanted integer
) RETURNS text[]
LANGUAGE plpgsql
AS $$
DECLARE
    -- Others may be quicker with some.
    enough CONSTANT integer := wanted + 100;
    -- Who sees only some of the jobs, or whose transaction may stay open, lays no floors; and each takes a lock.
    may_lay CONSTANT boolean := only_tenant IS NULL AND NOT is_caller() AND cardinality(lane_queues) <= 50;
    seen floor_sight[] := '{}';
    ways floor_way[] := '{}';
    way floor_way;
    picked text[];
BEGIN
    FOR place IN 1 .. cardinality(lane_queues) LOOP
        way := choose_way(lane_queues[place], lane_types[place], may_lay);
        seen := seen || ARRAY (
            SELECT (best.id, best.priority, best.seq, place)::floor_sight
            FROM peek_lane(lane_queues[place], lane_types[place], only_tenant, enough, way.is_whole) AS best
        );
        way.took := clock_timestamp() - way.began;
        ways := ways || way;
    END LOOP;
    picked := lock_best(seen, wanted);
    IF picked = '{}' AND seen <> '{}' THEN
        RETURN pick_jobs(lane_queues, lane_types, only_tenant, wanted);
    END IF;
    FOR place IN 1 .. cardinality(ways) LOOP
        way := ways[place];
        IF way.may_write THEN
            PERFORM lay_floors(
                way, ARRAY (SELECT one FROM unnest(seen) AS one WHERE one.lane = place), cardinality(seen) <= wanted
            );
        END IF;
    END LOOP;
    RETURN picked;
END
$$;

-- Locks the most urgent of the jobs that were seen, and not one more than wanted.
CREATE FUNCTION {schema}.lock_best(seen {schema}.floor_sight[], wanted integer) RETURNS text[]
LANGUAGE plpgsql
AS $$
DECLARE
    picked text[] := '{}';
    chosen text;
    free text;
BEGIN
    FOR chosen IN SELECT one.id FROM unnest(seen) AS one ORDER BY one.priority DESC, one.seq LOOP
        EXIT WHEN cardinality(picked) >= wanted;
        -- Not just `ready`: on a table that statistics call empty, a plan would read the whole index of what is ready.
        SELECT id INTO free FROM jobs
        WHERE id BETWEEN chosen AND chosen AND coalesce(ready, false)
        FOR UPDATE SKIP LOCKED;
        IF FOUND THEN
            picked := picked || free;
        END IF;
    END LOOP;
    RETURN picked;
END
$$;
