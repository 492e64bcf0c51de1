SELECT granted, until, is_lease_lost FROM {schema}.take_permit($1::text, $2::text, $3::bigint)
