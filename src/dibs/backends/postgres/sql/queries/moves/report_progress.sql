SELECT place FROM {schema}.report_progress($1::text[], $2::bigint[], $3::text[]) AS place
