SELECT version, oldest_code FROM dibs_schema ORDER BY version DESC LIMIT 1
