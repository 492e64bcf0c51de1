"""Texts as they are meant, however they were written: in any case, width or form of Unicode, behind escapes. Pure."""

import html
import re
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise

# JSON within JSON, in a link, in a page: whatever is written behind more than so many escapes is nobody's text.
MOST_READINGS = 4
# What nobody sees: soft hyphens, joiners, marks of direction, selectors.
_UNSEEN = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff"
_DROPPED = re.compile(f"[{_UNSEEN}]")
# Each begins with one of three signs, which is found fast; what it is comes after.
_ESCAPE = re.compile(
    r"""[%\\&](?:
        (?<=%)(?P<percent>[0-9a-fA-F]{2}(?:%[0-9a-fA-F]{2})*)
        |(?<=\\)(?:
            u(?P<wide>[0-9a-fA-F]{4}(?:\\u[0-9a-fA-F]{4})*)
            |U(?P<long>[0-9a-fA-F]{8})
            |x(?P<bytes>[0-9a-fA-F]{2}(?:\\x[0-9a-fA-F]{2})*)
            |(?P<sign>[abfnrtv0"'/\\])
        )
        |(?<=&)(?P<entity>(?:\#[0-9]{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});)
    )""",
    re.VERBOSE,
)
# What a program shows as bytes are those of a text, or each is a letter of its own.
_ENCODED = {
    "percent": ("utf-8", "latin-1"),
    "wide": ("utf-16-be",),
    "long": ("utf-32-be",),
    "bytes": ("utf-8", "latin-1"),
}
_SIGNS = dict(zip("abfnrtv0", "\a\b\f\n\r\t\v\0", strict=True))


def read_all(text: str) -> Iterator[str]:
    """Give a text in each way that it may be read: as it stands, then with its escapes undone, and again."""
    for _ in range(MOST_READINGS):
        yield fold(text)
        plain = _ESCAPE.sub(_undo, text)
        if plain == text:
            return
        text = plain


def fold(text: str) -> str:
    """Write what is the same to a reader in one way."""
    if text.isascii():
        return text.lower()
    seen = unicodedata.normalize("NFKC", _DROPPED.sub("", text))
    return unicodedata.normalize("NFKC", seen.casefold())


def find_spans(text: str, pattern: re.Pattern[str]) -> list[tuple[int, int]]:
    """Tell from where to where in a text, as it stands, a pattern is found in any reading of it. They may overlap."""
    found: list[tuple[int, int]] = []
    pieces = _Pieces(text, range(len(text) + 1))
    for _ in range(MOST_READINGS):
        folded = pieces.fold()
        found += [folded.place(match) for match in pattern.finditer(folded.text)]
        plain = pieces.undo()
        if plain.text == pieces.text:
            break
        pieces = plain
    return found


class _Pieces:
    """A reading, and where each of its characters begins in the text that it is of; at last, where all ends."""

    def __init__(self, text: str, starts: "list[int] | range") -> None:
        self.text = text
        self._starts = starts

    def place(self, match: re.Match[str]) -> tuple[int, int]:
        """Tell where in the text that is which a match was found. What one escape stands for goes together."""
        end = match.end()
        while self._starts[end] == self._starts[end - 1]:
            end += 1
        return self._starts[match.start()], self._starts[end]

    def undo(self) -> "_Pieces":
        """Undo escapes, one deep."""
        matches = [(match.span(), _undo(match)) for match in _ESCAPE.finditer(self.text)]
        return self._replace(matches)

    def fold(self) -> "_Pieces":
        """Write what is the same to a reader in one way, letter by letter."""
        bounds = [place for place in range(len(self.text)) if not _goes_on(self.text, place)]
        letters = pairwise([*bounds, len(self.text)])
        return self._replace([((start, end), fold(self.text[start:end])) for start, end in letters])

    def _replace(self, changes: list[tuple[tuple[int, int], str]]) -> "_Pieces":
        parts: list[str] = []
        starts: list[int] = []
        done = 0
        for (start, end), new in changes:
            parts += (self.text[done:start], new)
            starts += (*self._starts[done:start], *[self._starts[start]] * len(new))
            done = end
        parts.append(self.text[done:])
        return _Pieces("".join(parts), [*starts, *self._starts[done:]])


def _undo(match: re.Match[str]) -> str:
    """Give what an escape stands for."""
    kind, written = match.lastgroup, match[match.lastgroup or 0]
    if kind in _ENCODED:
        return _decode(bytes.fromhex(re.sub(r"%|\\.", "", written)), _ENCODED[kind])
    return html.unescape(match[0]) if kind == "entity" else _SIGNS.get(written, written)


def _decode(raw: bytes, encodings: tuple[str, ...]) -> str:
    for encoding in encodings:
        with suppress(UnicodeDecodeError):
            return raw.decode(encoding)
    return ""


def _goes_on(text: str, place: int) -> bool:
    """Tell whether a character belongs to the letter before it: marks, parts of a syllable, what nobody sees."""
    char = text[place]
    if char < "\u0100" or place == 0:
        return char == "\u00ad" and place > 0
    is_part = "\u1160" <= char <= "\u11ff" or char in "\uff9e\uff9f"
    return is_part or unicodedata.category(char).startswith("M") or _DROPPED.match(char) is not None
