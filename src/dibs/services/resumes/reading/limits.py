"""How much of a document is opened before it is refused."""

from msgspec import Struct

MEBIBYTE = 1024 * 1024


class Limits(Struct, frozen=True, kw_only=True):
    max_bytes: int = 20 * MEBIBYTE
    max_unpacked_bytes: int = 100 * MEBIBYTE
    max_members: int = 2_000
    max_pages: int = 10
    max_characters: int = 300_000
    max_pixels: int = 50_000_000
