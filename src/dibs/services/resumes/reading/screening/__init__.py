"""What is kept out of a document: text that nobody would see, and text without end."""
