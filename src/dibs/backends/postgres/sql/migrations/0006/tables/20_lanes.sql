ALTER TABLE {schema}.lanes ADD COLUMN IF NOT EXISTS max_cost bigint NOT NULL DEFAULT 0;
ALTER TABLE {schema}.lanes ALTER COLUMN max_cost DROP DEFAULT;
ALTER TABLE {schema}.arrivals ADD COLUMN IF NOT EXISTS max_cost bigint;
CREATE INDEX IF NOT EXISTS lanes_tenants ON {schema}.lanes (queue, job_type, barrier, tenant, priority DESC, seq);
CREATE INDEX IF NOT EXISTS barriers_until ON {schema}.barriers (until);
CREATE INDEX IF NOT EXISTS barriers_open ON {schema}.barriers (queue, job_type, until);
DO $$
BEGIN
    IF to_regtype('{schema}.ring_place') IS NULL THEN
        CREATE TYPE {schema}.ring_place AS (queue text, tenant text, place bigint);
    END IF;
    IF to_regtype('{schema}.ended_job') IS NULL THEN
        CREATE TYPE {schema}.ended_job AS (id text, tenant text, concurrency_key text, source text, cost bigint);
    END IF;
END
$$;
