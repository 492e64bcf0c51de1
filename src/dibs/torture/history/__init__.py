"""What every process asked of the store, and what it was told, written down by those who live through it."""
