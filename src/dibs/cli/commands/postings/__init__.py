"""`dibs postings`: what boards publish, and who applies to it."""
