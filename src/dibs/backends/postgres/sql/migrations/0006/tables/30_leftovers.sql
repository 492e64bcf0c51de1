-- Functions with other parameters than now, or another answer. Only other functions called them.
DROP FUNCTION IF EXISTS {schema}.promote_jobs(boolean, boolean);
DROP FUNCTION IF EXISTS {schema}.revive_job(text, text, text, boolean);
DROP FUNCTION IF EXISTS {schema}.find_candidate(text[], text[], text, uuid[], text[]);
DROP FUNCTION IF EXISTS {schema}.find_fair_heads(text[], text[], text, uuid[], text[]);
DROP FUNCTION IF EXISTS {schema}.find_head({schema}.lanes);
DROP FUNCTION IF EXISTS {schema}.find_obstacle({schema}.lanes, bigint);
DROP FUNCTION IF EXISTS {schema}.find_tenant_wait(text, uuid, bigint);
DROP FUNCTION IF EXISTS {schema}.freed_subjects(text, text, text, text, boolean);
DROP FUNCTION IF EXISTS {schema}.is_watched();
DROP FUNCTION IF EXISTS {schema}.lane_of(text, text, text, text, text, boolean);
DROP FUNCTION IF EXISTS {schema}.see_source(text, text);
-- Made again with its function.
DROP TRIGGER IF EXISTS guard_audit ON {schema}.audit;
