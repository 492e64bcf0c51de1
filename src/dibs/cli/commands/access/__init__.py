"""Tenants, keys and users."""
