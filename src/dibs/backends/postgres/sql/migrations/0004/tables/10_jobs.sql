ALTER TABLE {schema}.jobs
    ADD COLUMN max_cost_microcents bigint NOT NULL DEFAULT 0,
    -- Where a due job waits that more than a gate of its queue or type may hold back; such a job is not `ready`.
    ADD COLUMN lane uuid,
    -- A running job has not yet spent the permit that its claim reserved at its source.
    ADD COLUMN permit boolean NOT NULL DEFAULT false;
ALTER TABLE {schema}.finished_jobs ADD COLUMN max_cost_microcents bigint NOT NULL DEFAULT 0;

CREATE INDEX jobs_lane ON {schema}.jobs (lane, priority DESC, seq) WHERE lane IS NOT NULL;
CREATE INDEX jobs_permit ON {schema}.jobs (source) WHERE permit;

DROP INDEX {schema}.jobs_later;
CREATE INDEX jobs_later ON {schema}.jobs (run_at)
    WHERE (NOT ready AND lane IS NULL AND state IN ('pending', 'retryable'))
        -- Strays: code of version 3 copied them in, or they waited before there were lanes.
        OR (ready AND (source IS NOT NULL OR concurrency_key IS NOT NULL));
-- Counts what runs of a tenant and with a key, by columns that a heartbeat leaves alone. The token comes last so that no two
-- entries are alike: in pages full of equal ones every claim would look for those that can go.
DROP INDEX {schema}.jobs_running;
CREATE INDEX jobs_running ON {schema}.jobs (tenant, concurrency_key, lease_token) WHERE state = 'running';
