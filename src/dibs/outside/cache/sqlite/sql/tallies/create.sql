CREATE TABLE IF NOT EXISTS tallies (
    day INTEGER NOT NULL,
    source TEXT NOT NULL,
    hits INTEGER NOT NULL,
    revalidated INTEGER NOT NULL,
    misses INTEGER NOT NULL,
    PRIMARY KEY (day, source)
) WITHOUT ROWID
