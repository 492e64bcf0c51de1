CREATE TABLE pages (
    slot TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    source TEXT NOT NULL,
    url TEXT NOT NULL,
    status INTEGER NOT NULL,
    headers BLOB NOT NULL,
    body TEXT NOT NULL,
    size INTEGER NOT NULL,
    stored_at INTEGER NOT NULL,
    fresh_until INTEGER NOT NULL,
    kept_until INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX pages_by_age ON pages (stored_at);
CREATE INDEX pages_by_end ON pages (kept_until);
CREATE INDEX pages_by_body ON pages (body);
CREATE INDEX pages_by_size ON pages (size);
CREATE TABLE bodies (
    digest TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    content BLOB NOT NULL
);
CREATE INDEX bodies_by_size ON bodies (size);
CREATE TABLE flights (
    slot TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    ends_at INTEGER NOT NULL
) WITHOUT ROWID;
PRAGMA user_version = 1;
