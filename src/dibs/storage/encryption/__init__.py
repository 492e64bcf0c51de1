"""What stands encrypted in the tables: columns, and short secrets."""
