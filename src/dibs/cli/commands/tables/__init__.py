"""Commands on what services keep in the tables."""
