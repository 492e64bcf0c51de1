"""Files that are locked, full or torn."""
