SELECT stored_at, duplicate FROM {schema}.store_jobs(
    $1::text[], $2::text[], $3::text[], $4::text[], $5::integer[], $6::text[], $7::integer[], $8::timestamptz[],
    $9::text[], $10::text[], $11::text[], $12::bigint, $13::text[], $14::bigint[]
)
