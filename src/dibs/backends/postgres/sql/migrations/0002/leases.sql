-- Locks by name. A released one stays, without an end, so that its token goes on growing.
CREATE TABLE {schema}.leases (
    name       text COLLATE "C" PRIMARY KEY,
    owner      text COLLATE "C" NOT NULL,
    token      bigint NOT NULL,
    expires_at timestamptz
) WITH (fillfactor = 50);
