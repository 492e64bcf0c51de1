"""Saying how to get an optional package that is not there."""

from dibs.errors import MissingExtra


def name_extra(cause: ModuleNotFoundError, extra: str) -> MissingExtra:
    """Name the command that installs what is missing."""
    return MissingExtra(f"{cause.name} is not installed. Run: pip install 'dibs[{extra}]'")
