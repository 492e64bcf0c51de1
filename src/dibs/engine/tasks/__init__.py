"""Tasks: the handlers that jobs name, what they take, what they may say, and what they are told."""
