"""The reference page of the API, written from its own description."""
