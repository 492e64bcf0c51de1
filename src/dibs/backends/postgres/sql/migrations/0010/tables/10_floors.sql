-- Where claims begin to look, in a lane whose head is full of dead rows that nobody may remove yet, since somebody keeps an
-- old snapshot: until a floor is stale, no claim walks through what stands below it. Hints; empty where claims are quick.
CREATE UNLOGGED TABLE {schema}.floors (
    -- The floor, and where it may rise to once those who stored jobs at that time have surely committed.
    seq       bigint NOT NULL,
    candidate bigint NOT NULL,
    noted_at  timestamptz NOT NULL,
    until     timestamptz NOT NULL,
    priority  integer NOT NULL,
    queue     text COLLATE "C" NOT NULL,
    job_type  text COLLATE "C" NOT NULL,
    PRIMARY KEY (queue, job_type, priority)
) WITH (fillfactor = 50);

-- A job that a claim saw, and in which of its lanes.
CREATE TYPE {schema}.floor_sight AS (
    id       text,
    priority integer,
    seq      bigint,
    lane     integer
);

-- How a claim goes through a lane: `is_whole`, from its beginning; `may_write`, it is the one that lays floors.
CREATE TYPE {schema}.floor_way AS (
    queue     text,
    job_type  text,
    is_whole  boolean,
    may_write boolean,
    began     timestamptz,
    took      interval
);
