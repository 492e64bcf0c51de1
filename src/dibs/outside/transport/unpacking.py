"""Unpacking a compressed body piece by piece, so that a small one cannot grow into a large one unseen."""

import zlib
from collections.abc import Iterator
from typing import Protocol

from dibs.errors import ProviderFault

PIECE_BYTES = 64 * 1024
ACCEPTED = "gzip, deflate"
_GZIP, _ZLIB, _RAW = 31, 15, -15


class Unpacker(Protocol):
    """Takes packed bytes, gives plain ones in small pieces."""

    def feed(self, packed: bytes) -> Iterator[bytes]:
        """Unpack some more."""

    def finish(self) -> None:
        """Make sure that nothing is missing."""


class Plain:
    """Nothing was packed."""

    def feed(self, packed: bytes) -> Iterator[bytes]:
        """Give it as it is."""
        yield packed

    def finish(self) -> None:
        """The protocol itself tells where a plain body ends."""


class Inflate:
    """gzip, also of several members, and deflate in both of its readings."""

    def __init__(self, wbits: int) -> None:
        self._wbits = wbits
        self._inflater = zlib.decompressobj(wbits)
        self._has_begun = False

    def feed(self, packed: bytes) -> Iterator[bytes]:
        """Unpack some more, at most a small piece at a time."""
        is_full = False
        while packed or is_full:
            if self._inflater.eof and not self._begin_member(packed):
                return
            plain = self._inflate(packed)
            # A full piece may have left something behind although all that was packed is taken in.
            is_full = len(plain) == PIECE_BYTES
            yield plain
            packed = self._inflater.unconsumed_tail or self._inflater.unused_data

    def finish(self) -> None:
        """Refuse a body that ends in the middle."""
        if self._has_begun and not self._inflater.eof:
            message = "the compressed body ends in the middle. Try again later."
            raise ProviderFault(message)

    def _begin_member(self, packed: bytes) -> bool:
        # What follows the last member and is no gzip is padding, which everybody ignores.
        self._inflater = zlib.decompressobj(self._wbits)
        is_member = self._wbits == _GZIP and packed[:1] == b"\x1f"
        self._has_begun = is_member
        return is_member

    def _inflate(self, packed: bytes) -> bytes:
        try:
            plain = self._inflater.decompress(packed, PIECE_BYTES)
        except zlib.error as cause:
            if self._wbits == _ZLIB and not self._has_begun:
                self._wbits, self._inflater = _RAW, zlib.decompressobj(_RAW)
                return self._inflate(packed)
            message = f"the compressed body cannot be read ({cause}). Try again later."
            raise ProviderFault(message) from cause
        self._has_begun = True
        return plain


def choose_unpacker(encoding: str) -> Unpacker:
    """Choose by the Content-Encoding; one that nobody asked for is the other side's fault."""
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return Plain()
    if name in ("gzip", "x-gzip"):
        return Inflate(_GZIP)
    if name == "deflate":
        return Inflate(_ZLIB)
    message = f"the body is packed as {name[:80]!r}, which was not asked for. Only {ACCEPTED} can be read."
    raise ProviderFault(message)
