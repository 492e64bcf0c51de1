SELECT * FROM {schema}.declare_source($1::text, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::bigint, $7::boolean, $8::text, $9::text)
