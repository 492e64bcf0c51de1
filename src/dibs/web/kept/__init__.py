"""Answers under idempotency keys, in the tables."""
