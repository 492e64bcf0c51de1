"""One adapter for each public board interface."""
