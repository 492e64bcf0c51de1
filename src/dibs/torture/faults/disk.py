"""A disk without room, and a power cut."""

import errno
import os
import resource
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dibs.torture.history.diary import LARGEST_FILE

ROOM_FOR_DIARIES = 2 * LARGEST_FILE
TORN = 1800
SMALL_DISK = 256 * 1024 * 1024
LARGEST_BITE = 64 * 1024


@contextmanager
def filling_disk(pids: Iterable[int]) -> Iterator[None]:
    """Let these processes write to no file beyond its first kilobytes: of a database, next to nothing is left.

    Linux alone lets one process limit another; the soft limit can be lifted again without rights.
    """
    limited = [pid for pid in pids if _limit(pid, ROOM_FOR_DIARIES)]
    try:
        yield
    finally:
        for pid in limited:
            _limit(pid, resource.RLIM_INFINITY)


def _limit(pid: int, size: int) -> bool:
    with suppress(ProcessLookupError):
        hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)[1]
        soft = hard if size == resource.RLIM_INFINITY else size
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (soft, hard))
        return True
    return False


@contextmanager
def filling_file_system(ballast: Path) -> Iterator[int]:
    """Take all the room of a small file system, to the last byte; tells how many bytes that took."""
    handle = os.open(ballast, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        yield _write_until_full(handle)
    finally:
        os.close(handle)
        ballast.unlink(missing_ok=True)


def _write_until_full(handle: int) -> int:
    taken, size = 0, LARGEST_BITE
    while size:
        try:
            taken += os.write(handle, bytes(size))
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            size //= 2
    return taken


def is_on_small_disk(file: Path) -> bool:
    """Whether the file system is so small that it may be filled without harm to anybody."""
    try:
        found = os.statvfs(file.parent)
    except OSError:
        return False
    return found.f_blocks * found.f_frsize <= SMALL_DISK


def copy_as_after_power_cut(path: Path, copy: Path, noise: bytes) -> None:
    """Copy a SQLite database as a power cut would leave it: no shared memory, and a torn end of the write-ahead log.

    Nobody may write meanwhile. Whatever was synced is in the copy; what comes behind it is noise.
    """
    shutil.copy2(path, copy)
    log = path.with_name(f"{path.name}-wal")
    torn = copy.with_name(f"{copy.name}-wal")
    if log.exists():
        shutil.copy2(log, torn)
    with torn.open("ab") as file:
        file.write(noise[:TORN])
    os.sync()
