"""Cached pages in PostgreSQL, shared by all machines."""
