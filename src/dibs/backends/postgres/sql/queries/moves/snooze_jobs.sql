SELECT place FROM {schema}.snooze_jobs(
    $1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::boolean
) AS place
