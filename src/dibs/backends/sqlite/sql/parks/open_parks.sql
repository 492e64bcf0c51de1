UPDATE dibs_parks SET is_open = 1, until = NULL
WHERE is_open = 0 AND subject IN (SELECT value FROM json_each(?1))
RETURNING name
