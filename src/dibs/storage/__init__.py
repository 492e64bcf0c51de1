"""The tables of services and apps, on SQLite and PostgreSQL, one tenant a transaction."""
