"""Proof that the proof can be trusted."""
