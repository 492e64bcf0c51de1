SELECT place, verdict FROM {schema}.fail_jobs(
    $1::text[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::integer[], $8::boolean
)
