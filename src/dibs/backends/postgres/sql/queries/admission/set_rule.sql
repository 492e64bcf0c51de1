SELECT {schema}.set_rule(
    $1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::timestamptz,
    $8::text, $9::text, $10::text, $11::text, $12::text
)
