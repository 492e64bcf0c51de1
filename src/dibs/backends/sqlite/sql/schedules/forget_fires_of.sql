DELETE FROM dibs_fires WHERE tenant = ?1 AND name = ?2 AND instant IN (
    SELECT instant FROM dibs_fires WHERE tenant = ?1 AND name = ?2 ORDER BY instant LIMIT ?3
)
