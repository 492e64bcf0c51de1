"""What may happen to a job, from the moment it is stored until it has ended."""
