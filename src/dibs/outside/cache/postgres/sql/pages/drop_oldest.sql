DELETE FROM {schema}.pages WHERE slot IN (
    SELECT slot FROM {schema}.pages ORDER BY stored_at LIMIT $1 FOR UPDATE SKIP LOCKED
) RETURNING body
