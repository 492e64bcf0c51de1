"""Letters and signs that a recogniser takes for others, where what stands around them tells."""

import re
from collections.abc import Iterator

from dibs.services.resumes.reading.scan.recogniser import SeenWord

_DIGITS = str.maketrans("OoIl", "0011")
_NUMBER = re.compile(r"(?=(?:.*\d){2})[\dOoIl]+(?:[./–—-][\dOoIl]+)*[.,;)]?")  # noqa: RUF001 - a dash is meant
_CAPITALS = re.compile(r"(?=.*[A-Z]{2})[A-Zl/&+-]*l[A-Zl/&+-]*s?")
_BORDERS = "(){}[]"
_CURLY = frozenset("{}")


def mend_letters(word: SeenWord) -> SeenWord:
    """Write digits among digits, and capitals among capitals."""
    if _NUMBER.fullmatch(word.text) and not word.text.isdigit():
        return word._replace(text=word.text.translate(_DIGITS))
    if _CAPITALS.fullmatch(word.text):
        return word._replace(text=word.text.replace("l", "I"))
    return word


def drop_borders(line: list[SeenWord]) -> list[SeenWord]:
    """Write bars between framed words. Sides of frames are read as brackets, and people write no curly ones."""
    if not any(_CURLY & set(word.text) for word in line):
        return line
    return list(_part_framed(line))


def _part_framed(line: list[SeenWord]) -> Iterator[SeenWord]:
    for word in line:
        bare = word.text.strip(_BORDERS)
        if word.text[0] in _BORDERS:
            yield _mark(word, word.left)
        if bare:
            yield word._replace(text=bare)
        if bare and word.text[-1] in _BORDERS:
            yield _mark(word, word.right)


def _mark(word: SeenWord, at: float) -> SeenWord:
    return word._replace(text="|", left=at, right=at)
