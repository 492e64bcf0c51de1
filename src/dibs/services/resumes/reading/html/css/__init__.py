"""Style sheets: which rules a page has, whom they reach, and what their values mean."""
