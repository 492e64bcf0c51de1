"""How large letters are, measured by their ink: the boxes of a recogniser have margins of any width."""

from typing import Any

CAPITAL, SMALL, FOOT = 0.72, 0.53, 0.21
"""What capitals, small letters and descenders take of a font's size."""
LOW = frozenset("acemnorsuvwxz.,;:-–—•·_")  # noqa: RUF001 - a dash is meant
FOOTED = frozenset("gjpqyQ,;()[]{}|/@")
DARK = 0.35


def measure_ink(grey: Any, box: tuple[float, float, float, float], text: str) -> float:
    """Give the size of the font of a line in pixels, by the rows that hold ink; 0 where none do."""
    left, top, right, bottom = (max(int(side), 0) for side in box)
    part = grey[top:bottom, left:right]
    if not part.size:
        return 0.0
    paper = float(sorted(part.ravel()[:: max(part.size // 500, 1)])[-1 if part.mean() > 127 else 0])  # noqa: PLR2004
    reach = max(abs(paper - float(part.min())), abs(paper - float(part.max())), 1.0)
    rows = (abs(part - paper) > DARK * reach).any(axis=1).nonzero()[0]
    return float(rows[-1] - rows[0] + 1) / share_of(text) if len(rows) else 0.0


def share_of(text: str) -> float:
    """Give what the letters of a text take of their font's size."""
    upper = SMALL if all(letter in LOW or letter in "gpqy" for letter in text if not letter.isspace()) else CAPITAL
    return upper + (FOOT if any(letter in FOOTED for letter in text) else 0.0)
