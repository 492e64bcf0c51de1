"""Help of a language model with the sections that the rules are unsure of. Off unless a model is named."""

from dibs.services.resumes.helping.helping import help_resume

__all__ = ["help_resume"]
