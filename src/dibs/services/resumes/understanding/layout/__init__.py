"""From pages of words to blocks in reading order."""

from dibs.services.resumes.understanding.layout.arranging import Strip, arrange

__all__ = ["Strip", "arrange"]
