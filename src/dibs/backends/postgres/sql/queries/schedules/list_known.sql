SELECT asked.place - 1 AS place
FROM unnest($3::timestamptz[], $4::text[]) WITH ORDINALITY AS asked (instant, job_id, place)
WHERE EXISTS (SELECT FROM {schema}.fires WHERE tenant = $1::text AND name = $2::text AND fires.instant = asked.instant)
    OR {schema}.find_known_id(ARRAY[asked.job_id]) IS NOT NULL
