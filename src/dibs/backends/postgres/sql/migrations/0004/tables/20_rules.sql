-- What operators decided. Of a gate, what claims ask for stands beside the body.
CREATE TABLE {schema}.rules (
    kind       text COLLATE "C" NOT NULL,
    name       text COLLATE "C" NOT NULL,
    scope      text COLLATE "C",
    scope_name text COLLATE "C",
    mode       text COLLATE "C",
    set_at     timestamptz NOT NULL,
    expires_at timestamptz,
    body       json NOT NULL,
    PRIMARY KEY (kind, name)
) WITH (fillfactor = 50);

-- Where one tenant stands in the rotation of a fair queue, while a claim goes through it.
CREATE TYPE {schema}.ring_place AS (
    queue  text,
    tenant text,
    place  bigint
);

-- How far each tenant of a fair queue has come; the row without a tenant tells how far the queue has.
CREATE TABLE {schema}.turns (
    queue  text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    turn   bigint NOT NULL,
    PRIMARY KEY (queue, tenant)
) WITH (fillfactor = 50);
