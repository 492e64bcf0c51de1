"""The audit log: reading it, adding to it, sealing it."""
