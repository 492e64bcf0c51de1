-- The first of these ids that a job has already.
CREATE FUNCTION {schema}.find_known_id(ids text[]) RETURNS text
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
BEGIN
    RETURN (
        SELECT asked.id
        FROM unnest(ids) WITH ORDINALITY AS asked (id, place)
        WHERE EXISTS (SELECT FROM jobs WHERE jobs.id = asked.id)
            OR EXISTS (SELECT FROM finished_jobs WHERE finished_jobs.id = asked.id)
        ORDER BY asked.place
        LIMIT 1
    );
END
$$;
