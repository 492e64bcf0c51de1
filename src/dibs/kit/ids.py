"""Identifiers that sort by the time they were made."""

import os
import time

# The operating system's chance, some of it at a time: asking for it costs more than all the rest of an id.
_DRAWN_AT_ONCE = 256
_CHANCE_BYTES = 10
_drawn: list[int] = []
# Forked processes must never draw the same ids.
os.register_at_fork(after_in_child=_drawn.clear)
_VERSION_7 = 0x7000
_VERSION_8 = 0x8000
_VARIANT = 0x8000


def new_id() -> str:
    """Make a UUID version 7: 48 bits of milliseconds, then chance."""
    moment = time.time_ns() // 1_000_000
    return _assemble(moment, _VERSION_7, _draw())


def id_from(moment: int, digest: bytes) -> str:
    """Make a UUID version 8 that sorts like the others: 48 bits of milliseconds, then the beginning of a digest."""
    chance = int.from_bytes(digest[:10], "big") >> 6
    return _assemble(moment, _VERSION_8, chance)


def _draw() -> int:
    """Give 74 bits of chance. Taking one off a list is safe in threads."""
    while True:
        try:
            return _drawn.pop()
        except IndexError:
            drawn = os.urandom(_DRAWN_AT_ONCE * _CHANCE_BYTES)
            pieces = (drawn[start : start + _CHANCE_BYTES] for start in range(0, len(drawn), _CHANCE_BYTES))
            _drawn.extend(int.from_bytes(piece, "big") >> 6 for piece in pieces)


def _assemble(moment: int, version: int, chance: int) -> str:
    head = f"{moment:012x}"
    third = version | chance >> 62
    fourth = _VARIANT | (chance >> 48 & 0x3FFF)
    return f"{head[:8]}-{head[8:]}-{third:04x}-{fourth:04x}-{chance & 0xFFFFFFFFFFFF:012x}"
