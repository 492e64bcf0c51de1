SELECT {schema}.find_known_id($1::text[]) AS id
