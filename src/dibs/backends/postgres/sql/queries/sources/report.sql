SELECT * FROM {schema}.report_fetch($1::text, $2::text, $3::bigint, $4::bigint)
