-- Through the door goes one governed claim at a time. False: somebody keeps it for too long, in a transaction of his own.
CREATE FUNCTION {schema}.enter_door() RETURNS boolean
LANGUAGE plpgsql
SET lock_timeout = '3s'
AS $$
BEGIN
    IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
        RAISE feature_not_supported USING MESSAGE = format(
            'governed jobs cannot be claimed in a %s transaction, which does not see what others commit meanwhile. '
            'Use READ COMMITTED.', upper(current_setting('transaction_isolation'))
        );
    END IF;
    IF NOT pg_try_advisory_xact_lock(lock_of('door')) THEN
        BEGIN
            PERFORM pg_advisory_xact_lock(lock_of('door'));
        EXCEPTION WHEN lock_not_available THEN
            RETURN false;
        END;
    END IF;
    RETURN true;
END
$$;
