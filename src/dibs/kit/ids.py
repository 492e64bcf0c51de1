"""Identifiers that sort by the time they were made."""

import time
from random import SystemRandom

# The operating system's chance: forked processes must never draw the same ids.
_chance = SystemRandom()
_VERSION_7 = 0x7000
_VERSION_8 = 0x8000
_VARIANT = 0x8000


def new_id() -> str:
    """Make a UUID version 7: 48 bits of milliseconds, then chance."""
    moment = time.time_ns() // 1_000_000
    return _assemble(moment, _VERSION_7, _chance.getrandbits(74))


def id_from(moment: int, digest: bytes) -> str:
    """Make a UUID version 8 that sorts like the others: 48 bits of milliseconds, then the beginning of a digest."""
    chance = int.from_bytes(digest[:10], "big") >> 6
    return _assemble(moment, _VERSION_8, chance)


def _assemble(moment: int, version: int, chance: int) -> str:
    head = f"{moment:012x}"
    third = version | chance >> 62
    fourth = _VARIANT | (chance >> 48 & 0x3FFF)
    return f"{head[:8]}-{head[8:]}-{third:04x}-{fourth:04x}-{chance & 0xFFFFFFFFFFFF:012x}"
