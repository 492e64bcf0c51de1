"""What holds jobs back: gates, limits, turns and sources."""
