-- Waits for a lock, not for long. False: somebody keeps it, in a transaction of his own, or waits for one of ours: who
-- has found nothing behind the door waits for those who promote, and they wait for the door.
CREATE OR REPLACE FUNCTION {schema}.wait_for(lock_number bigint) RETURNS boolean
LANGUAGE plpgsql
SET lock_timeout = '3s'
AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(lock_number);
    RETURN true;
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
    RETURN false;
END
$$;
