"""Events bound to logs and to metrics."""
