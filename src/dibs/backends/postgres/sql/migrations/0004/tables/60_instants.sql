-- Days and months are those of UTC, whatever the session's time zone.
CREATE FUNCTION {schema}.day_of(instant timestamptz) RETURNS timestamptz
LANGUAGE sql IMMUTABLE
AS 'SELECT date_trunc(''day'', instant AT TIME ZONE ''UTC'') AT TIME ZONE ''UTC''';

CREATE FUNCTION {schema}.day_after(instant timestamptz) RETURNS timestamptz
LANGUAGE sql IMMUTABLE
AS 'SELECT (date_trunc(''day'', instant AT TIME ZONE ''UTC'') + interval ''1 day'') AT TIME ZONE ''UTC''';

CREATE FUNCTION {schema}.month_of(instant timestamptz) RETURNS timestamptz
LANGUAGE sql IMMUTABLE
AS 'SELECT date_trunc(''month'', instant AT TIME ZONE ''UTC'') AT TIME ZONE ''UTC''';

CREATE FUNCTION {schema}.month_after(instant timestamptz) RETURNS timestamptz
LANGUAGE sql IMMUTABLE
AS 'SELECT (date_trunc(''month'', instant AT TIME ZONE ''UTC'') + interval ''1 month'') AT TIME ZONE ''UTC''';

-- The number of an advisory lock of this schema.
CREATE FUNCTION {schema}.lock_of(name text) RETURNS bigint
LANGUAGE sql IMMUTABLE
AS 'SELECT hashtextextended(name || '':{schema}'', 0)';
