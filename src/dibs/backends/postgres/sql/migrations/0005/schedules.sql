CREATE TABLE {schema}.schedules (
    tenant   text COLLATE "C" NOT NULL,
    name     text COLLATE "C" NOT NULL,
    version  bigint NOT NULL,
    next_at  timestamptz,
    schedule text NOT NULL,
    PRIMARY KEY (tenant, name)
) WITH (fillfactor = 50);
CREATE INDEX schedules_next ON {schema}.schedules (next_at, tenant, name) WHERE next_at IS NOT NULL;

-- An instant fires once, for ever: these rows stay when the schedule is removed.
CREATE TABLE {schema}.fires (
    instant  timestamptz NOT NULL,
    fired_at timestamptz NOT NULL,
    tenant   text COLLATE "C" NOT NULL,
    name     text COLLATE "C" NOT NULL,
    job_id   text COLLATE "C",
    PRIMARY KEY (tenant, name, instant)
);
CREATE INDEX fires_age ON {schema}.fires (fired_at, tenant, name, instant);
