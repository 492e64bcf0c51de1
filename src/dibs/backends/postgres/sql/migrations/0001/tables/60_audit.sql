CREATE TABLE {schema}.audit (
    sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at       timestamptz NOT NULL,
    token    bigint,
    tenant   text COLLATE "C" NOT NULL,
    actor    text COLLATE "C" NOT NULL,
    action   text COLLATE "C" NOT NULL,
    subject  text COLLATE "C" NOT NULL,
    reason   text NOT NULL DEFAULT '',
    detail   json
);
CREATE INDEX audit_subject ON {schema}.audit (subject, sequence);
