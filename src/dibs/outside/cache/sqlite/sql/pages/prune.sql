DELETE FROM pages WHERE slot IN (
    SELECT slot FROM pages
    WHERE (kept_until <= :now OR NOT :expired_only)
        AND (:source IS NULL OR source = :source) AND (:tenant IS NULL OR tenant = :tenant)
    ORDER BY kept_until LIMIT :limit
) RETURNING body
