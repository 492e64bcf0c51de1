"""Addresses among the words of a scan: which lines may hold one, and how a second reading of them is put in."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from dibs.services.resumes.reading.scan.mail import join_mail
from dibs.services.resumes.reading.scan.recogniser import SeenWord

_PART = re.compile(r"[^\W\d_]\.[a-z]{2,}|@|www|https?|[\w.+-]+[©®][\w-]", re.IGNORECASE)
_WHOLE = re.compile(
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:https?://|www\.)\S+|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?:/\S*)?", re.IGNORECASE
)
_UNDER, _COLUMN = 0.5, 3
_ENDINGS = frozenset(
    {"com", "org", "net", "edu", "de", "at", "ch", "fr", "be", "es", "mx", "ar", "co", "eu", "example"}
)


def has_address(line: list[SeenWord]) -> bool:
    """Tell whether a line may hold an address: a part of one, or its ending behind a dot that ended a word."""
    torn = any(before.text[-1] == "." and word.text in _ENDINGS for before, word in pairwise(line))
    return torn or any(map(is_part_of_address, line))


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


def part_columns(line: list[SeenWord]) -> Iterator[list[SeenWord]]:
    """Part a line where the white is so wide that what stands behind it may be another column."""
    part = line[:1]
    for before, word in pairwise(line):
        if word.left - before.right > _COLUMN * max(before.size, word.size):
            yield part
            part = []
        part.append(word)
    yield part


def put_addresses(line: list[SeenWord], again: list[SeenWord]) -> list[SeenWord]:
    """Give a line with the addresses of another reading in place of what was read there before."""
    better = [word for word in join_mail(again) if _WHOLE.fullmatch(word.text.strip(".,;:|()<>"))]
    kept = [word for word in line if not any(_overlap(word, other) > _UNDER for other in better)]
    return sorted([*kept, *better], key=lambda word: word.left) if better else line


def _overlap(word: SeenWord, other: SeenWord) -> float:
    """Say how much of a word another covers."""
    return (min(word.right, other.right) - max(word.left, other.left)) / max(word.right - word.left, 1.0)
