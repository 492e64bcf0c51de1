"""What may happen to jobs, one file a stage of their life. Each function is one step of a transaction."""
