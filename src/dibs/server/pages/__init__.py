"""The engine's own pages: doors that load, call one action, and show."""
