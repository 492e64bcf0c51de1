-- Who is at work. A card that is not renewed in time is not shown any more.
CREATE TABLE {schema}.workers (
    worker_id  text COLLATE "C" PRIMARY KEY,
    card       json NOT NULL,
    started_at timestamptz NOT NULL,
    seen_at    timestamptz NOT NULL,
    ends_at    timestamptz NOT NULL
) WITH (fillfactor = 50);
