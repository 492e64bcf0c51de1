DELETE FROM dibs_fires WHERE (tenant, name, instant) IN (
    SELECT tenant, name, instant FROM dibs_fires INDEXED BY dibs_fires_age WHERE fired_at < ?1
    ORDER BY fired_at, tenant, name, instant LIMIT ?2
)
