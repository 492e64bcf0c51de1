"""Figures of a soak: what processes take, how long jobs take, and whether it grows."""
