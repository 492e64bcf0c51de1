"""Identifiers that sort by the time they were made."""

import os
import struct
import time

# The operating system's chance, some of it at a time: asking for it costs more than all the rest of an id.
_DRAWN_AT_ONCE = 256
_CHANCE_BYTES = 10
_drawn: list[str] = []
# Forked processes must never draw the same ids.
os.register_at_fork(after_in_child=_drawn.clear)
# The first digit of the third group is the version, that of the fourth begins with the bits 10.
_VERSION_AT, _VARIANT_AT = slice(0, None, _CHANCE_BYTES), slice(2, None, _CHANCE_BYTES)
_VERSION = bytes(0x70 | byte & 0x0F for byte in range(256))
_VARIANT = bytes(0x80 | byte & 0x3F for byte in range(256))
# The three digits behind the version tell so many places of a batch apart.
_PLACES = 0x1000
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


def new_ids(count: int) -> list[str]:
    """Make so many of one moment, each after the one before as far as there are places.

    An index takes them in at its end, one behind the other, for less than if chance spread them over the moment.
    """
    chance = bytearray(os.urandom(_CHANCE_BYTES * count))
    places = struct.pack(f">{count}H", *(0x7000 | at * _PLACES // count for at in range(count)))
    chance[0::_CHANCE_BYTES], chance[1::_CHANCE_BYTES] = places[0::2], places[1::2]
    return _write_all(_write_head(time.time_ns() // 1_000_000), chance)


def id_from(moment: int, digest: bytes) -> str:
    """Make a UUID version 8 that sorts like the others: 48 bits of milliseconds, then the beginning of a digest."""
    chance = int.from_bytes(digest[:10], "big") >> 6
    fourth = 0x8000 | (chance >> 48 & 0x3FFF)
    return f"{_write_head(moment)}8{chance >> 62:03x}-{fourth:04x}-{chance & 0xFFFFFFFFFFFF:012x}"


def _draw() -> None:
    chance = bytearray(os.urandom(_CHANCE_BYTES * _DRAWN_AT_ONCE))
    chance[_VERSION_AT] = chance[_VERSION_AT].translate(_VERSION)
    _drawn.extend(_write_all("", chance))


def _write_head(moment: int) -> str:
    digits = f"{moment:012x}"
    return f"{digits[:8]}-{digits[8:]}-"


def _write_all(head: str, chance: bytearray) -> list[str]:
    """Write ids behind the milliseconds of their head: ten bytes each, of which the first have the version."""
    chance[_VARIANT_AT] = chance[_VARIANT_AT].translate(_VARIANT)
    digits = chance.hex()
    starts = range(0, len(digits), 2 * _CHANCE_BYTES)
    return [f"{head}{digits[at : at + 4]}-{digits[at + 4 : at + 8]}-{digits[at + 8 : at + 20]}" for at in starts]
