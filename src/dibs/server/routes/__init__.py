"""The doors of `/api/v1`: parse, authorise, one action, answer."""
