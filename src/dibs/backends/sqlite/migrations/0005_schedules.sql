CREATE TABLE dibs_schedules (
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    next_at INTEGER,
    schedule TEXT NOT NULL,
    PRIMARY KEY (tenant, name)
) WITHOUT ROWID;
CREATE INDEX dibs_schedules_next ON dibs_schedules (next_at, tenant, name) WHERE next_at IS NOT NULL;

-- An instant fires once, for ever: these rows stay when the schedule is removed.
CREATE TABLE dibs_fires (
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    instant INTEGER NOT NULL,
    fired_at INTEGER NOT NULL,
    job_id TEXT,
    PRIMARY KEY (tenant, name, instant)
) WITHOUT ROWID;
CREATE INDEX dibs_fires_age ON dibs_fires (fired_at, tenant, name, instant);
