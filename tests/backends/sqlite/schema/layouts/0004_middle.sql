-- A governed job that is due has `ready` 2 and stands in a lane of its own kind: claims of plain jobs never meet it, and
-- older code neither. `permit` is the token of the claim that reserved one: it counts while the job runs under that token,
-- so that every end frees it without a word.
ALTER TABLE dibs_jobs ADD COLUMN lane INTEGER;
ALTER TABLE dibs_jobs ADD COLUMN permit INTEGER;
ALTER TABLE dibs_jobs ADD COLUMN max_cost_microcents INTEGER NOT NULL DEFAULT 0;
-- What runs already counts against the limits of its key; a lane of 0 was never stood in.
UPDATE dibs_jobs SET lane = 0 WHERE lease_expires_at IS NOT NULL AND coalesce(source, concurrency_key) IS NOT NULL;
-- Without `state`, so that the end of a plain job need not look at it.
CREATE INDEX dibs_jobs_lane ON dibs_jobs (lane, priority DESC, seq, max_cost_microcents) WHERE ready = 2;
CREATE INDEX dibs_jobs_governed ON dibs_jobs (tenant, concurrency_key, max_cost_microcents)
    WHERE lane IS NOT NULL AND state = 'running';
CREATE INDEX dibs_jobs_permits ON dibs_jobs (source, permit, lease_token) WHERE permit IS NOT NULL AND state = 'running';

-- One row a lane that has jobs; (priority, seq) is its first one, or one more urgent that has left since. No name is
-- empty: '' stands for none, and for a lane that waits for nothing but its turn.
CREATE TABLE dibs_lanes (
    lane INTEGER PRIMARY KEY,
    queue TEXT NOT NULL,
    job_type TEXT NOT NULL,
    tenant TEXT NOT NULL,
    source TEXT NOT NULL,
    concurrency_key TEXT NOT NULL,
    priority INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    parked_on TEXT NOT NULL DEFAULT '',
    UNIQUE (queue, job_type, tenant, source, concurrency_key)
);
CREATE INDEX dibs_lanes_order ON dibs_lanes (parked_on, queue, job_type, priority DESC, seq);
CREATE INDEX dibs_lanes_tenant ON dibs_lanes (parked_on, queue, job_type, tenant, priority DESC, seq);

-- What lanes are parked on. Whatever may free it opens it (by `subject`, or when `until` has come), and a claim looks into
-- its lanes again: one row is written for an event, however many lanes wait for it.
CREATE TABLE dibs_parks (
    name TEXT PRIMARY KEY,
    subject TEXT NOT NULL,
    is_open INTEGER NOT NULL,
    until INTEGER
) WITHOUT ROWID;
CREATE INDEX dibs_parks_closed ON dibs_parks (subject) WHERE is_open = 0;
CREATE INDEX dibs_parks_open ON dibs_parks (name) WHERE is_open = 1;
CREATE INDEX dibs_parks_until ON dibs_parks (until) WHERE until IS NOT NULL;

CREATE TABLE dibs_rules (
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    rule TEXT NOT NULL,
    set_at INTEGER NOT NULL,
    PRIMARY KEY (kind, name)
) WITHOUT ROWID;
-- The probe is a lease: it holds while that job runs under that token.
CREATE TABLE dibs_sources (
    name TEXT PRIMARY KEY,
    source TEXT NOT NULL,
    probe_job TEXT,
    probe_token INTEGER
) WITHOUT ROWID;
CREATE INDEX dibs_sources_probe ON dibs_sources (probe_job) WHERE probe_job IS NOT NULL;
CREATE TABLE dibs_spent (
    tenant TEXT NOT NULL,
    day INTEGER NOT NULL,
    microcents INTEGER NOT NULL,
    PRIMARY KEY (tenant, day)
) WITHOUT ROWID;
-- The row without a tenant tells how far the queue itself has come.
CREATE TABLE dibs_turns (queue TEXT NOT NULL, tenant TEXT NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (queue, tenant))
WITHOUT ROWID;

CREATE TABLE dibs_seals (
    tenant TEXT NOT NULL,
    position INTEGER NOT NULL,
    sequence INTEGER NOT NULL UNIQUE,
    hash TEXT NOT NULL,
    PRIMARY KEY (tenant, position)
) WITHOUT ROWID;

-- `rules` is another number after every change of a rule; every entry of the log up to `sealed` is sealed.
INSERT INTO dibs_counters (name, value) VALUES ('rules', 0), ('sealed', 0);
