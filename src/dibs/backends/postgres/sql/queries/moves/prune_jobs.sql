SELECT {schema}.prune_jobs(
    $1::bigint, $2::text[], $3::text[], $4::text, $5::integer, $6::boolean, $7::text, $8::text
) AS count
