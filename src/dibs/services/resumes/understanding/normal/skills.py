"""Skills, and their names in ESCO."""

from functools import cache


@cache
def _table() -> dict[str, tuple[str, str | None]]:
    return {}


def find_skill(text: str) -> tuple[str, str | None] | None:
    """Find the name of a skill in the taxonomy, and its address there."""
    return _table().get(text.casefold().strip())
