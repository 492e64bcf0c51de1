SELECT {schema}.find_wake($1::text[], $2::text[], $3::text) AS wake
