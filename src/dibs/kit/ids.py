"""Identifiers that sort by the time they were made."""

import os
import time

# The operating system's chance, some of it at a time: asking for it costs more than all the rest of an id.
_DRAWN_AT_ONCE = 256
_CHANCE_DIGITS = 20
_drawn: list[str] = []
# Forked processes must never draw the same ids.
os.register_at_fork(after_in_child=_drawn.clear)
# The first digit of the fourth group begins with the bits 10.
_VARIANTS = dict(zip("0123456789abcdef", "89ab" * 4, strict=True))
# The last millisecond, and how an id of it begins: many are made in one.
_head = (0, "")


def new_id() -> str:
    """Make a UUID version 7: 48 bits of milliseconds, then chance."""
    global _head  # noqa: PLW0603 - replaced whole, so that threads see one or the other
    moment = time.time_ns() // 1_000_000
    known, head = _head
    if known != moment:
        head = _write_head(moment)
        _head = (moment, head)
    while True:
        try:
            # Taking one off a list is safe in threads.
            return head + _drawn.pop()
        except IndexError:
            _draw()


def id_from(moment: int, digest: bytes) -> str:
    """Make a UUID version 8 that sorts like the others: 48 bits of milliseconds, then the beginning of a digest."""
    chance = int.from_bytes(digest[:10], "big") >> 6
    fourth = 0x8000 | (chance >> 48 & 0x3FFF)
    return f"{_write_head(moment)}8{chance >> 62:03x}-{fourth:04x}-{chance & 0xFFFFFFFFFFFF:012x}"


def _draw() -> None:
    drawn = os.urandom(_DRAWN_AT_ONCE * _CHANCE_DIGITS // 2).hex()
    starts = range(0, len(drawn), _CHANCE_DIGITS)
    _drawn.extend([_write_tail(drawn[start : start + _CHANCE_DIGITS]) for start in starts])


def _write_head(moment: int) -> str:
    digits = f"{moment:012x}"
    return f"{digits[:8]}-{digits[8:]}-"


def _write_tail(digits: str) -> str:
    """Write what comes after the milliseconds: the version, and 74 bits of the digits."""
    return f"7{digits[:3]}-{_VARIANTS[digits[3]]}{digits[4:7]}-{digits[8:]}"
