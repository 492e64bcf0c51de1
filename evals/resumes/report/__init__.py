"""What came out: a table for the terminal, a page with diagrams for the build folder."""
