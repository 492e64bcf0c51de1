SELECT set_config('lock_timeout', '5s', true), pg_advisory_xact_lock({schema}.lock_of('rules'))
