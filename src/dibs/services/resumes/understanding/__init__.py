"""From a `Document` to a `Profile`: layout, sections, fields, normal forms."""

from dibs.services.resumes.understanding.understand import understand

__all__ = ["understand"]
