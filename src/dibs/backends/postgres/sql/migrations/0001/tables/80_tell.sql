-- Says that jobs are ready in these queues. It has no voice yet: version 2 gives it one.
CREATE FUNCTION {schema}.tell(queues text[]) RETURNS void
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
BEGIN
    NULL;
END
$$;
