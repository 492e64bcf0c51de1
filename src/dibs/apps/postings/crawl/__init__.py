"""Reading boards politely, and what their listings say about the postings that we know."""
