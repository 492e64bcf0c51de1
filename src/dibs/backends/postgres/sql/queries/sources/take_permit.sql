SELECT granted, until, is_lease_lost, report_token FROM {schema}.take_permit($1::text, $2::text, $3::bigint, $4::bigint)
