"""Cached pages in a file of SQLite: the default."""
