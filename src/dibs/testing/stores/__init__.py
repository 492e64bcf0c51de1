"""A harness for each store that comes with Dibs."""
