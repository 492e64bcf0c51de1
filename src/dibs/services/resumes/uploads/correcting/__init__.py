"""What people correct: which field they mean, what it may be, and how it stays when a document is read again."""
