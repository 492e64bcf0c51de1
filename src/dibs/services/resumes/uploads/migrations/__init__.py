"""Migrations of the tables of resumes."""
