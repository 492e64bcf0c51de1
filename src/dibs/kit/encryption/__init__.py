"""Texts that others must not read: secrets, keys, and what is encrypted under them."""
