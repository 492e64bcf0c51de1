"""How deep JSON is nested, told before anybody parses it: a parser that recurses is what deep JSON attacks."""

import json
from array import array
from collections.abc import Iterator
from itertools import accumulate

_NOT_MARKS = bytes(set(range(256)) - set(b'"[]{}'))
# One level more, one level less: 1 and, as a signed byte, -1.
_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
_PIECE = 65_536


def is_deeper_than(body: bytes, most: int) -> bool:
    """Tell whether JSON has more than so many levels. Text that is not JSON may get either answer."""
    if body.count(b"[") + body.count(b"{") <= most:
        return False
    level = 0
    for brackets in _drop_strings(_as_utf8(body)):
        levels = array("b", brackets.translate(_STEPS))
        # In C: a loop of ours would take a second for a large body.
        reached = list(accumulate(levels, initial=level))
        if max(reached) > most:
            return True
        level = reached[-1]
    return False


def _drop_strings(body: bytes) -> Iterator[bytes]:
    """Give the brackets that stand outside of strings, piece by piece.

    Strangers are read here, too: each step goes over the body once. A regular expression for strings would do so once
    for each quote whose end it does not find, and take a hundred times a long string in memory.
    """
    # A run of backslashes is read in pairs, so that what is left of it escapes what follows.
    unescaped = body.replace(rb"\\", b"").replace(rb"\"", b"")
    # What ends where the next one begins is one string, as far as brackets are concerned.
    marks = unescaped.translate(None, _NOT_MARKS).replace(b'""', b"")
    is_inside = False
    for start in range(0, len(marks), _PIECE):
        parts = marks[start : start + _PIECE].split(b'"')
        yield b"".join(parts[is_inside::2])
        is_inside ^= len(parts) % 2 == 0


def _as_utf8(body: bytes) -> bytes:
    """Write JSON as UTF-8: parsers take the wider encodings as well, in which bytes of letters look like quotes."""
    encoding = json.detect_encoding(body)
    return body if encoding.startswith("utf-8") else body.decode(encoding, "replace").encode()
