SELECT {schema}.seal_entries($1::text, $2::bigint[], $3::bigint[], $4::text[]) AS fits
