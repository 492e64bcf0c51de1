SELECT place, tenant FROM dibs_ring INDEXED BY dibs_ring_places
WHERE queue = ?1 AND job_type = ?2 AND (place, tenant) > (?3, ?4) AND place <= ?5
ORDER BY place, tenant LIMIT ?6
