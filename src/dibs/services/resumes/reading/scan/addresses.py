"""Addresses among the words of a scan: which lines may hold one, and how a second reading of them is put in."""

import re
from collections.abc import Iterable

from dibs.services.resumes.reading.scan.recogniser import SeenWord

_PART = re.compile(r"[^\W\d_]\.[a-z]{2,}|@|www|https?|[\w.+-]+[©®][\w-]", re.IGNORECASE)
_WHOLE = re.compile(
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:https?://|www\.)\S+|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?:/\S*)?", re.IGNORECASE
)
_UNDER = 0.5


def is_part_of_address(word: SeenWord) -> bool:
    return _PART.search(word.text) is not None


def group_lines(words: Iterable[SeenWord]) -> list[list[SeenWord]]:
    """Gather words that follow each other on one line."""
    lines: list[list[SeenWord]] = []
    for word in words:
        before = lines[-1][-1] if lines else None
        goes_on = (
            before is not None
            and word.left >= before.right - 1
            and word.top < before.bottom
            and before.top < word.bottom
        )
        if goes_on:
            lines[-1].append(word)
        else:
            lines.append([word])
    return lines


def put_addresses(line: list[SeenWord], again: list[SeenWord]) -> list[SeenWord]:
    """Give a line with the addresses of another reading in place of what was read there before."""
    better = [word for word in again if _WHOLE.fullmatch(word.text.strip(".,;:|()<>"))]
    kept = [word for word in line if not any(_overlap(word, other) > _UNDER for other in better)]
    return sorted([*kept, *better], key=lambda word: word.left) if better else line


def _overlap(word: SeenWord, other: SeenWord) -> float:
    """Say how much of a word another covers."""
    return (min(word.right, other.right) - max(word.left, other.left)) / max(word.right - word.left, 1.0)
