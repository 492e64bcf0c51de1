"""Where the API begins."""

PREFIX = "/api/v1"
