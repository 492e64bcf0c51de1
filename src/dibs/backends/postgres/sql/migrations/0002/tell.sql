-- Code of version 1 goes on calling this, and is heard from now on.
CREATE OR REPLACE FUNCTION {schema}.tell(queues text[]) RETURNS void
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
BEGIN
    PERFORM pg_notify(current_schema(), asked.queue) FROM (SELECT DISTINCT unnest(queues) AS queue) AS asked;
END
$$;
