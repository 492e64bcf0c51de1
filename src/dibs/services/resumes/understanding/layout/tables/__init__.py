"""Cells that stand beside each other: those with lines around them, and those that only line up."""
