"""Rules and sources on Redis; the decisions themselves are in `lua/governed/`."""
