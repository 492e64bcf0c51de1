"""Who may run, and who said so: rules, sources and the audit log on PostgreSQL."""
