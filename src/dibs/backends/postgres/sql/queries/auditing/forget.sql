SELECT {schema}.forget_sealed($1::text, $2::bigint) AS count
