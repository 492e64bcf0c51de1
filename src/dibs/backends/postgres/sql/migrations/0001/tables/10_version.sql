CREATE TABLE IF NOT EXISTS {schema}.schema_version (
    version      integer PRIMARY KEY,
    oldest_code  integer NOT NULL,
    installed_at timestamptz NOT NULL DEFAULT statement_timestamp()
);
