SELECT pg_advisory_xact_lock({schema}.lock_of('schedule:' || json_build_array($1::text, $2::text)::text))
