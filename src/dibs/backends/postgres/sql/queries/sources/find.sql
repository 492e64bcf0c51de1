SELECT * FROM {schema}.sources WHERE name = ANY ($1::text[])
