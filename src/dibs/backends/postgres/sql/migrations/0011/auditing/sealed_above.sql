-- The entries above a number that are sealed; and some below it, where their run ends above.
CREATE FUNCTION {schema}.sealed_above(floor bigint) RETURNS SETOF bigint
LANGUAGE sql STABLE
SET search_path = {schema}, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
AS 'SELECT unnest(array_append(earlier_sequences, sequence)) FROM seals WHERE sequence > floor';
