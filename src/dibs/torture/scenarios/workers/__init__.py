"""Worker processes that die, freeze or misbehave."""
