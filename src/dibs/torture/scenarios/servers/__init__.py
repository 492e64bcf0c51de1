"""Servers that stop and crash."""
