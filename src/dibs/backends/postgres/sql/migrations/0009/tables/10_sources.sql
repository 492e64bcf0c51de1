-- An operator's pause apart from the breaker's, the day before, and who tries a broken source outside of jobs.
ALTER TABLE {schema}.sources
    ADD COLUMN held_until timestamptz,
    ADD COLUMN earlier_day timestamptz,
    ADD COLUMN earlier_used bigint NOT NULL DEFAULT 0,
    ADD COLUMN lone_probe bigint NOT NULL DEFAULT 0;
-- The breaker pauses only what is broken.
UPDATE {schema}.sources SET held_until = paused_until WHERE failure_streak < failure_limit;
-- Only other functions called it.
DROP FUNCTION {schema}.find_source_wait({schema}.sources, timestamptz, bigint, boolean);
