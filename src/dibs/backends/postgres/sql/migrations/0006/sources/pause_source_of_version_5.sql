-- What the first code of version 5 calls: it sends along how the log shall show the instant.
CREATE OR REPLACE FUNCTION {schema}.pause_source(
    asked text, pause_until timestamptz, shown_until text, act_actor text, act_reason text
) RETURNS SETOF {schema}.sources
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
AS $$
BEGIN
    RETURN QUERY SELECT * FROM pause_source(asked, pause_until, act_actor, act_reason);
END
$$;
