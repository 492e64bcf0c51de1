SELECT * FROM {schema}.resume_source($1::text, $2::text, $3::text)
