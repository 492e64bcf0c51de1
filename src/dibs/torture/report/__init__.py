"""What is told of a run: as data, and as a page with pictures."""
