SELECT count(*) FROM (
    SELECT 1 FROM {schema}.pages
    WHERE (NOT $1::boolean OR kept_until <= {schema}.now_micros())
        AND ($2::text IS NULL OR source = $2) AND ($3::text IS NULL OR tenant = $3)
    LIMIT $4
) AS prunable
