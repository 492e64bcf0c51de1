"""The HTTP API of the engine."""
