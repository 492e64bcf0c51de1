SELECT source FROM dibs_sources ORDER BY name
