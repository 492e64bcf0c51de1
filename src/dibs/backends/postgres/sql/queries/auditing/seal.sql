SELECT {schema}.seal_entries(
    $1::text, string_to_array($2::text, E'\n')::bigint[], string_to_array($3::text, E'\n')::bigint[],
    string_to_array($4::text, E'\n')
) AS fits
