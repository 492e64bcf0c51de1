"""Commands about who may run: gates, sources, limits, and why a job is not running."""
