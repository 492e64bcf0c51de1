SELECT to_regnamespace(quote_ident($1::text)) IS NOT NULL AS has_schema, to_regclass(format('%I.schema_version', $1::text)) IS NOT NULL AS has_version
