-- The same words as dibs.engine.failure.quarantine_error; a test compares them.
CREATE FUNCTION {schema}.quarantine_error(deaths integer) RETURNS json
LANGUAGE sql IMMUTABLE
AS $$
    SELECT json_build_object(
        'type', 'WorkerLost',
        'message', format(
            '%s workers vanished while they ran this job. Look at its attempts, then retry it by hand.', deaths
        )
    )
$$;
