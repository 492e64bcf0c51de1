"""The guarded transport: no way out leads around it."""
