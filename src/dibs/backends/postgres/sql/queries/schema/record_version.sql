INSERT INTO {schema}.schema_version (version, oldest_code) VALUES ($1::integer, $2::integer)
