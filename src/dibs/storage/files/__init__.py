"""Tables in a SQLite file: how it is connected to."""
