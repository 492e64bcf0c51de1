"""The only ways out: a guarded transport, and what is built on it."""
