"""What was fetched before, kept for a while: so that the same question is not asked twice."""
