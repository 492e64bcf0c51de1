-- Waits for a lock, not for long. False: somebody keeps it, in a transaction of his own.
CREATE FUNCTION {schema}.wait_for(lock_number bigint) RETURNS boolean
LANGUAGE plpgsql
SET lock_timeout = '3s'
AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(lock_number);
    RETURN true;
EXCEPTION WHEN lock_not_available THEN
    RETURN false;
END
$$;

-- Through the door goes one governed claim at a time. False: somebody keeps it for too long, in a transaction of his own.
CREATE FUNCTION {schema}.enter_door() RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
    IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
        RAISE feature_not_supported USING MESSAGE = format(
            'governed jobs cannot be claimed in a %s transaction, which does not see what others commit meanwhile. '
            'Use READ COMMITTED.', upper(current_setting('transaction_isolation'))
        );
    END IF;
    IF NOT pg_try_advisory_xact_lock(lock_of('door')) THEN
        IF NOT pg_try_advisory_lock_shared(lock_of('kept door')) THEN
            -- Somebody went through whose transaction may stay open: no use waiting for that.
            RETURN false;
        END IF;
        PERFORM pg_advisory_unlock_shared(lock_of('kept door'));
        IF NOT wait_for(lock_of('door')) THEN
            RETURN false;
        END IF;
    END IF;
    IF is_caller() THEN
        PERFORM pg_try_advisory_xact_lock(lock_of('kept door'));
    END IF;
    RETURN true;
END
$$;
