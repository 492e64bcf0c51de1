-- What tenants have spent. Ends only add rows; now and then the reaper makes one of many.
CREATE TABLE {schema}.spent (
    day    timestamptz NOT NULL,
    cost   numeric NOT NULL,
    tenant text COLLATE "C" NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000);
CREATE INDEX spent_tenant ON {schema}.spent (tenant, day);

-- What must be settled of a running job when it ends.
CREATE TYPE {schema}.ended_job AS (
    id              text,
    tenant          text,
    concurrency_key text,
    source          text,
    cost            bigint
);
