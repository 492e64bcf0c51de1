CREATE TABLE {schema}.sources (
    name                  text COLLATE "C" PRIMARY KEY,
    rate_limit_per_minute bigint,
    burst                 bigint NOT NULL DEFAULT 1,
    daily_quota           bigint,
    failure_limit         bigint NOT NULL DEFAULT 5,
    pause_micros          bigint NOT NULL DEFAULT 300000000,
    enabled               boolean NOT NULL DEFAULT true,
    failure_streak        bigint NOT NULL DEFAULT 0,
    parser_streak         bigint NOT NULL DEFAULT 0,
    host_streak           bigint NOT NULL DEFAULT 0,
    last_success_at       timestamptz,
    last_failure_at       timestamptz,
    paused_until          timestamptz,
    next_free_at          timestamptz,
    limited_until         timestamptz,
    quota_day             timestamptz,
    quota_used            bigint NOT NULL DEFAULT 0,
    -- The lease that tries a broken source. It counts only while that job runs under that token.
    probe_job             text COLLATE "C",
    probe_token           bigint
) WITH (fillfactor = 50);
CREATE INDEX sources_probe ON {schema}.sources (probe_job) WHERE probe_job IS NOT NULL;
