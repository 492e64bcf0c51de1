-- A body that is there already is written only if it is not what its name says any more.
INSERT INTO {schema}.bodies (digest, size, content) VALUES ($1, length($2::bytea), $2)
ON CONFLICT (digest) DO UPDATE SET content = excluded.content WHERE bodies.content IS DISTINCT FROM excluded.content
