"""The loops of a worker, one a file."""
