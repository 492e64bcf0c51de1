-- Ended executions, but for the last success, which the job's own row tells.
CREATE TABLE {schema}.attempts (
    token      bigint NOT NULL,
    started_at timestamptz NOT NULL,
    ended_at   timestamptz NOT NULL,
    job_id     text COLLATE "C" NOT NULL,
    worker     text COLLATE "C" NOT NULL,
    outcome    text COLLATE "C" NOT NULL,
    error      json,
    PRIMARY KEY (job_id, token)
);
