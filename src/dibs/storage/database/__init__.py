"""The database below the tables: where it is, how it is reached, and what it raises."""
