"""What the pages tell of the store as a whole: looked at once for everybody, and remembered for a while."""
