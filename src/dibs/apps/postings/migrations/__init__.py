"""Migrations of the postings' tables."""
