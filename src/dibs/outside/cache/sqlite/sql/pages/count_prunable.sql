SELECT count(*) FROM (
    SELECT 1 FROM pages
    WHERE (kept_until <= :now OR NOT :expired_only)
        AND (:source IS NULL OR source = :source) AND (:tenant IS NULL OR tenant = :tenant)
    LIMIT :limit
)
