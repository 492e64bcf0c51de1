-- Lanes that were left before anybody corrected them.
SET LOCAL search_path = {schema}, pg_temp;
SELECT pg_advisory_xact_lock(lock_of('door'));
SELECT correct_heads(ARRAY (SELECT lane FROM lanes));
SET LOCAL search_path TO DEFAULT;
