INSERT INTO {schema}.fires (tenant, name, instant, fired_at, job_id)
SELECT $1::text, $2::text, new.instant, $3::timestamptz, new.job_id
FROM unnest($4::timestamptz[], $5::text[]) AS new (instant, job_id)
