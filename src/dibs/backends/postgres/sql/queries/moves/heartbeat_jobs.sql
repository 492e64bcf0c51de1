SELECT place FROM {schema}.heartbeat_jobs($1::text[], $2::bigint[], $3::bigint) AS place
