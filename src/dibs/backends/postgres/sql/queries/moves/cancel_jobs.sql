SELECT place, verdict FROM {schema}.cancel_jobs($1::text[], $2::text, $3::text)
