"""The migrations of this section, one file a version; Alembic loads them by their path."""
