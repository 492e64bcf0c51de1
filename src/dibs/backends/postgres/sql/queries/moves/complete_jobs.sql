SELECT place FROM {schema}.complete_jobs($1::text[], $2::bigint[], $3::text[], $4::bigint[]) AS place
