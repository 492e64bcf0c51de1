CREATE TABLE {schema}.finished_jobs (
    seq              bigint NOT NULL,
    run_at           timestamptz NOT NULL,
    created_at       timestamptz NOT NULL,
    lease_token      bigint NOT NULL,
    cost_microcents  bigint NOT NULL,
    started_at       timestamptz,
    locked_at        timestamptz,
    heartbeat_at     timestamptz,
    finished_at      timestamptz NOT NULL,
    priority         integer NOT NULL,
    max_retries      integer NOT NULL,
    attempts         integer NOT NULL,
    worker_deaths    integer NOT NULL,
    state            text COLLATE "C" NOT NULL CHECK (state IN ('succeeded', 'failed', 'cancelled')),
    id               text COLLATE "C" NOT NULL PRIMARY KEY,
    tenant           text COLLATE "C" NOT NULL,
    queue            text COLLATE "C" NOT NULL,
    job_type         text COLLATE "C" NOT NULL,
    locked_by        text COLLATE "C",
    unique_key       text COLLATE "C",
    concurrency_key  text COLLATE "C",
    source           text COLLATE "C",
    parent_id        text COLLATE "C",
    input            json NOT NULL,
    output           json,
    error            json,
    progress         json
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02);

CREATE INDEX finished_jobs_seq ON {schema}.finished_jobs (seq);
CREATE INDEX finished_jobs_unsuccessful ON {schema}.finished_jobs (seq) WHERE state <> 'succeeded';
CREATE INDEX finished_jobs_finished_at ON {schema}.finished_jobs (finished_at);
CREATE INDEX finished_jobs_unique_key ON {schema}.finished_jobs (unique_key, tenant, job_type)
    WHERE unique_key IS NOT NULL;
CREATE INDEX finished_jobs_parent ON {schema}.finished_jobs (parent_id) WHERE parent_id IS NOT NULL;
