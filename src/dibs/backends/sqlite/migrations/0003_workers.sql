CREATE TABLE dibs_workers (
    worker_id TEXT PRIMARY KEY,
    card TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) WITHOUT ROWID;
