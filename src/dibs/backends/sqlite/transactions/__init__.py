"""Transactions: one operation's, one of our own for a handler, and one that the caller has begun."""
