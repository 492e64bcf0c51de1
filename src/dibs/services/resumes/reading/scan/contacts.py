"""Lines with addresses on scans: what parts them is small, and read as anything."""

import re
from collections.abc import Sequence
from itertools import pairwise

from dibs.services.resumes.reading.scan.recogniser import SeenWord

_ADDRESS = re.compile(r"\w@\w[\w-]*\.\w|^(?:https?:|www\.)|^[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}/", re.IGNORECASE)
_SIGNS = frozenset("-–—:;°~=*+«»¢§'\"")  # noqa: RUF001 - a dash is meant
_WIDE = 0.8
"""White of so many sizes of the letters parts two things."""
_ICON_LETTERS = 2
_FEWEST_ITEMS = 2
MARK = "•"


def mend_contacts(line: list[SeenWord]) -> list[SeenWord]:
    """Write marks for the signs and the icons between addresses, numbers and places that stand on one line."""
    if not any(_ADDRESS.search(word.text) for word in line):
        return line
    icons = _find_icons(line)
    return [
        word._replace(text=MARK) if at in icons or (at and word.text in _SIGNS) else word
        for at, word in enumerate(line)
    ]


def _find_icons(line: Sequence[SeenWord]) -> set[int]:
    """Find what every item of a line begins with: a letter or two, and then a thing of its own."""
    starts = [0, *(at for at, (before, word) in enumerate(pairwise(line), start=1) if _is_apart(before, word))]
    ends = [*starts[1:], len(line)]
    begun = [
        end - start > 1 and len(line[start].text) <= _ICON_LETTERS for start, end in zip(starts, ends, strict=True)
    ]
    return set(starts) if len(starts) >= _FEWEST_ITEMS and all(begun) else set()


def _is_apart(before: SeenWord, word: SeenWord) -> bool:
    return word.left - before.right > _WIDE * max(before.size, word.size)
