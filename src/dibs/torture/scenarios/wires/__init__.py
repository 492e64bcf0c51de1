"""Wires that are slow, silent, deaf or cut."""
