"""Many claims that come at once: looked at together, and written together."""
