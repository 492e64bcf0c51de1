"""How this backend talks to a server: addresses, connections, and what their faults mean."""
