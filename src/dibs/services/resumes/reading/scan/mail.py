"""Mail addresses on scans: their dots are so small that they are taken for hyphens, or for the end of a word."""

import re
from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

from dibs.services.resumes.reading.scan.recogniser import SeenWord

_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_LIKE = re.compile(r"\w[@©®]\w|\w@$|^@\w")
_NEAR = 0.6
_SLIPS = 2
_AROUND = ".,;:|()<>"
Span = tuple[int, int]


def find_mail(line: Sequence[SeenWord]) -> Span | None:
    """Find the words of a line that are a mail address together; None: there is none."""
    at = next((at for at, word in enumerate(line) if _LIKE.search(word.text)), None)
    if at is None:
        return None
    begin, end = at, at + 1
    while begin and _goes_on(line[begin - 1], line[begin]):
        begin -= 1
    while end < len(line) and _goes_on(line[end - 1], line[end]):
        end += 1
    return begin, end


def put_mail(line: list[SeenWord], span: Span, again: Sequence[SeenWord]) -> list[SeenWord]:
    """Give a line with another reading of its address, if that is one, hardly differs and is as sure."""
    if not again:
        return line
    begin, end = span
    old, new = _join(line[begin:end]), _join(again)
    before, after = old.text.strip(_AROUND), new.text.strip(_AROUND)
    if not _MAIL.fullmatch(after) or not _is_better(old._replace(text=before), new._replace(text=after)):
        return line
    # A dot at the end of a line says that the address goes on.
    text = old.text.replace(before, after)
    return [*line[:begin], old._replace(text=text, confidence=new.confidence), *line[end:]]


def join_mail(words: Sequence[SeenWord]) -> list[SeenWord]:
    """Put an address together that was read as several words."""
    span = find_mail(words)
    if span is None or not _MAIL.fullmatch(_spell(words[slice(*span)]).strip(_AROUND)):
        return list(words)
    begin, end = span
    return [*words[:begin], _join(words[begin:end]), *words[end:]]


def _goes_on(before: SeenWord, word: SeenWord) -> bool:
    """Tell whether a word was parted at a sign, without the white of a space."""
    is_near = word.left - before.right < _NEAR * max(before.size, word.size)
    return is_near and (before.text[-1] in "._" or word.text[0] in "._@")


def _is_better(old: SeenWord, new: SeenWord) -> bool:
    """Tell whether to believe the second reading. What it has more at an end is the edge of a sign beside it."""
    if not _MAIL.fullmatch(old.text) or old.text == new.text:
        return True
    slips = Levenshtein.distance(old.text.casefold(), new.text.casefold())
    is_longer = new.text.startswith(old.text) or new.text.endswith(old.text)
    return slips <= _SLIPS and not is_longer and new.confidence >= old.confidence


def _spell(words: Sequence[SeenWord]) -> str:
    return "".join(word.text for word in words)


def _join(words: Sequence[SeenWord]) -> SeenWord:
    first, top, bottom = words[0], min(word.top for word in words), max(word.bottom for word in words)
    confidence = min(word.confidence for word in words)
    whole = first._replace(text=_spell(words), right=words[-1].right, top=top, bottom=bottom)
    return whole._replace(confidence=confidence)
