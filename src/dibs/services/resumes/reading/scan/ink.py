"""How large letters are, measured by their ink: the boxes of a recogniser have margins of any width."""

CAPITAL, SMALL, FOOT = 0.72, 0.53, 0.21
"""What capitals, small letters and descenders take of a font's size."""
LOW = frozenset("acemnorsuvwxz.,;:-–—•·_")  # noqa: RUF001 - a dash is meant
FOOTED = frozenset("gjpqyQ,;()[]{}|/@")


def share_of(text: str) -> float:
    """Give what the letters of a text take of their font's size."""
    upper = SMALL if all(letter in LOW or letter in "gpqy" for letter in text if not letter.isspace()) else CAPITAL
    return upper + (FOOT if any(letter in FOOTED for letter in text) else 0.0)
