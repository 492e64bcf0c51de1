"""Schedules: when jobs are stored by themselves. Pure records and rules; the store's time is handed in."""
