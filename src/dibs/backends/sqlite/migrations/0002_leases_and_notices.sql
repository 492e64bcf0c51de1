CREATE TABLE dibs_leases (
    name TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    token INTEGER NOT NULL,
    expires_at INTEGER
) WITHOUT ROWID;

-- One number a queue, grown by whoever makes a job ready there; other processes watch it.
CREATE TABLE dibs_notices (queue TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
