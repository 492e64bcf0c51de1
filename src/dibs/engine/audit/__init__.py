"""The audit log: what it says, the seals on it, and forgetting what is old."""
