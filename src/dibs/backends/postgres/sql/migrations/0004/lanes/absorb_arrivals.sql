-- Brings the directory of lanes up to date with what has arrived. Its caller holds the door.
CREATE FUNCTION {schema}.absorb_arrivals() RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    WITH came AS MATERIALIZED (
        DELETE FROM arrivals WHERE subject IS DISTINCT FROM '~' RETURNING *
    ), opened AS (
        UPDATE barriers SET until = '-infinity'
        WHERE until > clock() AND (
            subject IN (SELECT came.subject FROM came WHERE came.subject IS NOT NULL)
            OR EXISTS (SELECT FROM came WHERE came.subject = '*')
        )
    )
    INSERT INTO lanes AS known (lane, queue, job_type, tenant, source, concurrency_key, priority, seq, max_cost)
    SELECT DISTINCT ON (lane) lane, queue, job_type, tenant, source, concurrency_key, priority, seq, max_cost
    FROM came
    WHERE lane IS NOT NULL
    ORDER BY lane, priority DESC, seq
    ON CONFLICT (lane) DO UPDATE
    SET priority = CASE WHEN (-known.priority::bigint, known.seq) <= (-excluded.priority::bigint, excluded.seq)
            THEN known.priority ELSE excluded.priority END,
        seq = CASE WHEN (-known.priority::bigint, known.seq) <= (-excluded.priority::bigint, excluded.seq)
            THEN known.seq ELSE excluded.seq END
    WHERE (-excluded.priority::bigint, excluded.seq) < (-known.priority::bigint, known.seq);
    IF NOT EXISTS (SELECT FROM arrivals) AND (EXISTS (SELECT FROM lanes) OR EXISTS (SELECT FROM rules)) THEN
        INSERT INTO arrivals (subject) VALUES ('~');
    END IF;
END
$$;
