"""How this backend talks to a server: addresses, connections, scripts, and what their faults mean."""
