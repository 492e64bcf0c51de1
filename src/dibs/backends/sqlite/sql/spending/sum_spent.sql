SELECT coalesce(sum(microcents) FILTER (WHERE day >= ?3), 0), coalesce(sum(microcents), 0) FROM dibs_spent
WHERE tenant = ?1 AND day >= ?2
