-- The chain of hashes over the audit log, one a tenant.
CREATE TABLE {schema}.seals (
    position bigint NOT NULL,
    sequence bigint NOT NULL UNIQUE,
    tenant   text COLLATE "C" NOT NULL,
    hash     text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, position)
);

-- Up to `floor` everything is sealed. An entry is numbered before it is committed, so that a lower one may appear late:
-- the floor rises to `candidate` only when all transactions have ended that had begun when it was noted.
CREATE TABLE {schema}.seal_marks (
    floor         bigint NOT NULL,
    candidate     bigint NOT NULL,
    candidate_xid xid8 NOT NULL,
    noted_at      timestamptz NOT NULL
) WITH (fillfactor = 50);
INSERT INTO {schema}.seal_marks VALUES (0, 0, '0', '-infinity');
CREATE INDEX audit_actor ON {schema}.audit (actor, sequence);
