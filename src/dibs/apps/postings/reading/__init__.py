"""Making sense of what boards publish, field by field. Nothing in here raises on odd input."""
