"""Agents that claim postings and report on them: rules, requests, the verbs and their statements."""
