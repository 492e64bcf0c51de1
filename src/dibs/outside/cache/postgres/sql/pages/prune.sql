DELETE FROM {schema}.pages WHERE slot IN (
    SELECT slot FROM {schema}.pages
    WHERE (NOT $1::boolean OR kept_until <= {schema}.now_micros())
        AND ($2::text IS NULL OR source = $2) AND ($3::text IS NULL OR tenant = $3)
    ORDER BY kept_until LIMIT $4 FOR UPDATE SKIP LOCKED
) RETURNING body
