-- Puts news among the arrivals, and wakes those who listen to the queues in which somebody waits for them.
CREATE FUNCTION {schema}.post_news(subjects text[]) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    told_queues text[];
BEGIN
    INSERT INTO arrivals (subject) SELECT DISTINCT unnest(subjects);
    SELECT array_agg(DISTINCT queue) INTO told_queues FROM barriers
    WHERE subject = ANY (subjects);
    IF told_queues IS NOT NULL THEN
        PERFORM tell(told_queues);
    END IF;
END
$$;
