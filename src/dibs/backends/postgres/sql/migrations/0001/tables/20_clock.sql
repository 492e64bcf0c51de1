-- The one clock of the store. Inlined into every plan that reads it.
CREATE FUNCTION {schema}.clock() RETURNS timestamptz
LANGUAGE sql STABLE
AS 'SELECT pg_catalog.statement_timestamp()';

-- One counter for all jobs, never cached: a reused id must not meet an old token again.
CREATE SEQUENCE {schema}.tokens AS bigint CACHE 1;
