"""What a child may use before it is ended."""

from msgspec import Struct

MEBIBYTE = 1024 * 1024


class Allowance(Struct, frozen=True, kw_only=True):
    memory_bytes: int = 512 * MEBIBYTE
    """On top of what the warm parent holds already."""
    cpu_seconds: int = 10
    wall_seconds: float = 30.0
    open_files: int = 64
