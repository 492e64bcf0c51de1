"""Cached pages in Redis, shared by all machines."""
