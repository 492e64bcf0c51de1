SELECT * FROM {schema}.sources ORDER BY name
