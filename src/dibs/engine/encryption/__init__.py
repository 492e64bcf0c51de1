"""Encryption at rest: payloads are encrypted on their way into a store, and decrypted on their way out of it."""
