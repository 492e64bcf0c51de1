"""Proof under faults: real workers on real stores, broken on purpose, and a checker of what they wrote down."""
