"""Migrations of the tables of webhooks."""
