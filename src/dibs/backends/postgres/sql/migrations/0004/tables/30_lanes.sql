-- A directory of the lanes with waiting jobs, by their most urgent one. Written by whoever holds the door, nobody else.
-- A lane that was refused stands behind a barrier; '' is no barrier.
CREATE TABLE {schema}.lanes (
    seq             bigint NOT NULL,
    max_cost        bigint NOT NULL,
    lane            uuid PRIMARY KEY,
    priority        integer NOT NULL,
    queue           text COLLATE "C" NOT NULL,
    job_type        text COLLATE "C" NOT NULL,
    tenant          text COLLATE "C" NOT NULL,
    source          text COLLATE "C",
    concurrency_key text COLLATE "C",
    barrier         text COLLATE "C" NOT NULL DEFAULT ''
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX lanes_heads ON {schema}.lanes (queue, job_type, barrier, priority DESC, seq);

-- What refuses lanes: all behind it until an instant, or until news of its subject. `is_known`: it ends by itself then.
CREATE TABLE {schema}.barriers (
    queue    text COLLATE "C" NOT NULL,
    job_type text COLLATE "C" NOT NULL,
    barrier  text COLLATE "C" NOT NULL,
    subject  text COLLATE "C" NOT NULL,
    until    timestamptz NOT NULL,
    is_known boolean NOT NULL,
    PRIMARY KEY (queue, job_type, barrier)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX barriers_subject ON {schema}.barriers (subject);

-- News for whoever comes through the door next: jobs came into a lane, or something was freed. Nobody waits here.
-- While there are lanes or rules a mark stays behind (subject ~): nobody else looks further where this is empty.
CREATE TABLE {schema}.arrivals (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    seq             bigint,
    max_cost        bigint,
    lane            uuid,
    priority        integer,
    queue           text COLLATE "C",
    job_type        text COLLATE "C",
    tenant          text COLLATE "C",
    source          text COLLATE "C",
    concurrency_key text COLLATE "C",
    subject         text COLLATE "C"
) WITH (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 1000);
