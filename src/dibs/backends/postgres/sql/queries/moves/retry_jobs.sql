SELECT place, verdict FROM {schema}.retry_jobs($1::text[], $2::text, $3::text, $4::boolean)
