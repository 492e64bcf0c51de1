-- Lets those who look for unsealed entries begin later, as far as nothing can appear below any more.
CREATE OR REPLACE FUNCTION {schema}.raise_floor() RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    mark seal_marks;
BEGIN
    SELECT * INTO mark FROM seal_marks FOR UPDATE SKIP LOCKED;
    IF NOT FOUND OR mark.candidate_xid > pg_snapshot_xmin(pg_current_snapshot())
        OR mark.noted_at > statement_timestamp() - interval '50 milliseconds' THEN
        RETURN;
    END IF;
    UPDATE seal_marks
    SET floor = coalesce((
            SELECT sequence - 1 FROM audit
            WHERE sequence > mark.floor AND sequence <= mark.candidate
                AND sequence NOT IN (SELECT sealed_above(mark.floor))
            ORDER BY sequence
            LIMIT 1
        ), mark.candidate),
        candidate = coalesce((SELECT max(sequence) FROM audit), mark.candidate),
        candidate_xid = pg_snapshot_xmax(pg_current_snapshot()), noted_at = statement_timestamp();
END
$$;
