"""From the bytes of a file to a `Document`: the words that a person would see, where they stand."""

from dibs.services.resumes.reading.limits import Limits
from dibs.services.resumes.reading.reader import read_document

__all__ = ["Limits", "read_document"]
