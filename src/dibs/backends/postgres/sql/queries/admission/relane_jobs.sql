SELECT {schema}.relane_jobs($1::text, $2::text, NULL, $3::integer) AS count
