"""What a job is, what may happen to it, and what a store must do for that."""
