SELECT {schema}.lock_keys($1::text[], $2::text[], $3::text[])
