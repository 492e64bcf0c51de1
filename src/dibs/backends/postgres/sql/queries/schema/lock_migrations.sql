SELECT pg_advisory_xact_lock(hashtextextended('dibs:migrate:' || $1::text, 0))
