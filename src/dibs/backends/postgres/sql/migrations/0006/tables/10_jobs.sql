-- Versions 1 to 5 were changed for a while after stores had been made with them. This brings all of those to one layout, and
-- changes nothing where it is there already.
ALTER TABLE {schema}.jobs
    ALTER COLUMN run_at SET DEFAULT {schema}.clock(),
    ALTER COLUMN created_at SET DEFAULT {schema}.clock(),
    ALTER COLUMN priority SET DEFAULT 0,
    ALTER COLUMN max_retries SET DEFAULT 3,
    ALTER COLUMN ready SET DEFAULT true,
    ALTER COLUMN tenant SET DEFAULT 'default',
    ALTER COLUMN queue SET DEFAULT 'default';
DROP INDEX {schema}.jobs_running;
CREATE INDEX jobs_running ON {schema}.jobs (tenant, concurrency_key, lease_token) WHERE state = 'running';
