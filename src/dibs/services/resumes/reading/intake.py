"""A file from a disk, no more of it than may be read."""

from pathlib import Path

from dibs.services.resumes.flags import Refusal, refuse


def read_file(path: Path, most: int) -> bytes:
    """Read a file; one that is too large is refused before it is in memory."""
    try:
        if path.stat().st_size > most:
            raise refuse(Refusal.TOO_LARGE, limit=f"{most:,} bytes")
        with path.open("rb") as file:
            return file.read(most + 1)
    except OSError as fault:
        raise refuse(Refusal.CORRUPTED, what=f"it cannot be opened: {fault.strerror}") from fault
