SELECT stored_at, duplicate FROM {schema}.finish_copy($1::text, $2::text, $3::boolean, $4::text[])
