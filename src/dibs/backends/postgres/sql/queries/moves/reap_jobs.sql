SELECT id, token, worker, state FROM {schema}.reap_jobs($1::integer, $2::integer, $3::boolean)
