-- Unlogged: what a crash of the server takes away is fetched again.
CREATE SCHEMA IF NOT EXISTS {schema};
CREATE UNLOGGED TABLE IF NOT EXISTS {schema}.pages (
    slot text PRIMARY KEY,
    tenant text NOT NULL,
    source text NOT NULL,
    url text NOT NULL,
    status integer NOT NULL,
    headers bytea NOT NULL,
    body text NOT NULL,
    size bigint NOT NULL,
    stored_at bigint NOT NULL,
    fresh_until bigint NOT NULL,
    kept_until bigint NOT NULL
);
CREATE INDEX IF NOT EXISTS pages_by_age ON {schema}.pages (stored_at);
CREATE INDEX IF NOT EXISTS pages_by_end ON {schema}.pages (kept_until);
CREATE INDEX IF NOT EXISTS pages_by_body ON {schema}.pages (body);
CREATE INDEX IF NOT EXISTS pages_by_size ON {schema}.pages (size);
CREATE UNLOGGED TABLE IF NOT EXISTS {schema}.bodies (
    digest text PRIMARY KEY,
    size bigint NOT NULL,
    content bytea NOT NULL
);
-- Bodies are compressed by whoever sent them, or not worth it.
ALTER TABLE {schema}.bodies ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX IF NOT EXISTS bodies_by_size ON {schema}.bodies (size);
-- The clock of the cache, in microseconds; tests put another one in its place.
CREATE OR REPLACE FUNCTION {schema}.now_micros() RETURNS bigint LANGUAGE sql STABLE
    AS 'SELECT (extract(epoch FROM statement_timestamp()) * 1000000)::bigint';
CREATE UNLOGGED TABLE IF NOT EXISTS {schema}.flights (
    slot text PRIMARY KEY,
    owner text NOT NULL,
    ends_at bigint NOT NULL
);
CREATE UNLOGGED TABLE IF NOT EXISTS {schema}.tallies (
    day bigint NOT NULL,
    source text NOT NULL,
    hits bigint NOT NULL,
    revalidated bigint NOT NULL,
    misses bigint NOT NULL,
    PRIMARY KEY (day, source)
);
