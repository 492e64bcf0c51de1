-- Finished jobs stay in this table and leave every index that a claim reads: an update in place is a third of the price
-- of moving a row. Large columns stand last, so that reading the others does not touch them.
CREATE TABLE dibs_jobs (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    tenant TEXT NOT NULL,
    queue TEXT NOT NULL,
    job_type TEXT NOT NULL,
    state TEXT NOT NULL,
    ready INTEGER,
    priority INTEGER NOT NULL,
    run_at INTEGER NOT NULL,
    max_retries INTEGER NOT NULL,
    unique_key TEXT,
    concurrency_key TEXT,
    source TEXT,
    parent_id TEXT,
    cost_microcents INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    worker_deaths INTEGER NOT NULL DEFAULT 0,
    lease_token INTEGER NOT NULL DEFAULT 0,
    locked_by TEXT,
    locked_at INTEGER,
    heartbeat_at INTEGER,
    lease_expires_at INTEGER,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    error TEXT,
    progress TEXT,
    output TEXT,
    input TEXT NOT NULL
);
-- `ready` is 1 for a waiting job that is due, 0 for one that is due later, NULL for all others.
-- The columns after `seq` are there so that filtering and counting need not visit the rows.
CREATE INDEX dibs_jobs_ready ON dibs_jobs (queue, job_type, priority DESC, seq, tenant, state, ready) WHERE ready = 1;
CREATE INDEX dibs_jobs_later ON dibs_jobs (run_at, seq, state, ready) WHERE ready = 0;
CREATE INDEX dibs_jobs_running ON dibs_jobs (lease_expires_at, lease_token) WHERE lease_expires_at IS NOT NULL;
CREATE INDEX dibs_jobs_finished ON dibs_jobs (state, finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX dibs_jobs_unsuccessful ON dibs_jobs (state, seq) WHERE state IN ('failed', 'cancelled');
CREATE INDEX dibs_jobs_key_held ON dibs_jobs (unique_key, job_type, tenant, seq)
    WHERE unique_key IS NOT NULL AND finished_at IS NULL;
CREATE INDEX dibs_jobs_key ON dibs_jobs (unique_key, job_type, tenant, created_at) WHERE unique_key IS NOT NULL;
CREATE INDEX dibs_jobs_source ON dibs_jobs (source) WHERE source IS NOT NULL;
CREATE INDEX dibs_jobs_parent ON dibs_jobs (parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE dibs_attempts (
    job_seq INTEGER NOT NULL,
    number INTEGER NOT NULL,
    token INTEGER NOT NULL,
    worker TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    error TEXT,
    PRIMARY KEY (job_seq, number)
) WITHOUT ROWID;

CREATE TABLE dibs_audit (
    sequence INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    reason TEXT NOT NULL DEFAULT '',
    token INTEGER,
    detail TEXT
);
CREATE INDEX dibs_audit_subject ON dibs_audit (subject);

CREATE TABLE dibs_counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO dibs_counters (name, value) VALUES ('job', 0), ('token', 0);

-- The clock that decides, in microseconds since 1970; SQLite tells milliseconds.
CREATE VIEW dibs_clock AS
SELECT CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000 AS now;
