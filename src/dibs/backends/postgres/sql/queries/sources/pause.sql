SELECT * FROM {schema}.pause_source($1::text, $2::timestamptz, $3::text, $4::text)
