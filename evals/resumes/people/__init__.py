"""Fictitious people with real-looking careers, as JSON Resume truth. The same seed gives the same person for ever."""

from evals.resumes.people.person import Person, make_person

__all__ = ["Person", "make_person"]
