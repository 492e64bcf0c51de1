SELECT version, oldest_code FROM {schema}.schema_version ORDER BY version DESC LIMIT 1
