"""A disk without room, and a power cut."""

import os
import resource
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dibs.torture.history.diary import LARGEST_FILE

ROOM_FOR_DIARIES = 2 * LARGEST_FILE
TORN = 1800


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
