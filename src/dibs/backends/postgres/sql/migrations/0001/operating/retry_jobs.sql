-- An operator's retry: failed and cancelled jobs back to pending, as if one after the other in the order asked.
CREATE FUNCTION {schema}.retry_jobs(ids text[], act_actor text, act_reason text, notify boolean)
RETURNS TABLE (place integer, verdict text)
LANGUAGE plpgsql
SET search_path = {schema}, pg_temp
SET plan_cache_mode = force_generic_plan
SET jit = off
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
    seen record;
    held record;
BEGIN
    -- Locks come in one order for all: first the keys, then the rows by id, and none that we see only later.
    SELECT array_agg(found.id) AS ids, array_agg(asked.place) AS places, array_agg(tenant) AS tenants,
        array_agg(job_type) AS types, array_agg(unique_key) AS keys
    INTO seen
    FROM unnest(ids) WITH ORDINALITY AS asked (id, place)
    JOIN finished_jobs AS found ON found.id BETWEEN asked.id AND asked.id;
    PERFORM lock_keys(seen.tenants, seen.types, seen.keys);
    SELECT array_agg(id) AS ids, array_agg(place) AS places
    INTO held
    FROM (
        SELECT found.id, asked.place
        FROM unnest(seen.ids, seen.places) AS asked (id, place)
        JOIN finished_jobs AS found ON found.id BETWEEN asked.id AND asked.id
        ORDER BY found.id
        FOR UPDATE OF found
    ) AS locked;
    RETURN QUERY SELECT * FROM revive_jobs(held.ids, held.places, act_actor, act_reason, notify);
    RETURN QUERY
    SELECT rest.place::integer, CASE
        WHEN find_known_id(ARRAY[rest.id]) IS NULL THEN 'missing' ELSE 'not_revivable'
    END
    FROM (
        SELECT * FROM unnest(ids) WITH ORDINALITY AS asked (id, place)
        EXCEPT SELECT * FROM unnest(held.ids, held.places)
    ) AS rest;
END
$$;
