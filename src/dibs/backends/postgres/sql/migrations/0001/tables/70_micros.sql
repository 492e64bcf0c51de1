-- Durations travel as microseconds: an interval of days would follow the session's summer time.
CREATE FUNCTION {schema}.micros(span bigint) RETURNS interval
LANGUAGE sql IMMUTABLE
AS 'SELECT span * interval ''1 microsecond''';
