"""What can be wrong with a file: its journal, its disk, its contents."""

import os
import shutil
from pathlib import Path

from dibs.backends.sqlite.threads.database import Database
from dibs.engine.store.checkup import Finding, ok, problem, warning
from dibs.errors import StoreError, StoreUnavailable
from dibs.kit.figures import show_bytes

MEBIBYTE = 1024 * 1024
LARGE_WAL = 256 * MEBIBYTE
LITTLE_SPACE = 1024 * MEBIBYTE
HARDLY_ANY_SPACE = 100 * MEBIBYTE
# Reading a larger file through would take minutes.
LARGEST_CHECKED = 4096 * MEBIBYTE
NETWORK_FILE_SYSTEMS = (
    "nfs",
    "cifs",
    "smb",
    "9p",
    "afs",
    "ceph",
    "glusterfs",
    "lustre",
    "fuse.sshfs",
    "fuse.glusterfs",
)
MOUNTS = Path("/proc/self/mounts")


class SqliteExaminer:
    """Looks at the file, its neighbours and its disk. Never opens them by itself: that could drop SQLite's locks."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._path = Path(database.address.path)

    async def examine(self) -> list[Finding]:
        """Look at everything."""
        return [
            await self._check_journal(),
            self._check_syncing(),
            self._check_wal_size(),
            await self._check_contents(),
            self._check_space(),
            self._check_file_system(),
        ]

    async def _check_journal(self) -> Finding:
        mode = (await self._database.read(lambda snapshot: snapshot.read("journal_mode")))[0][0]
        if mode == "wal":
            return ok("journal", "write-ahead log: readers and the writer do not wait for each other")
        message = f"the journal mode is {mode}: readers and writers lock each other out"
        return problem(
            "journal", message, "Stop everything that uses the file, then start one worker: it turns WAL on."
        )

    def _check_syncing(self) -> Finding:
        if self._database.address.synchronous == "full":
            return ok("syncing", "every commit reaches the disk before it is acknowledged")
        message = "synchronous=normal: a power cut may lose the last commits"
        return warning("syncing", message, "Leave it out of the URL if acknowledged jobs must survive a power cut.")

    def _check_wal_size(self) -> Finding:
        size = _size_of(self._path.with_name(f"{self._path.name}-wal"))
        if size < LARGE_WAL:
            return ok("log size", f"the write-ahead log has {show_bytes(size)}")
        message = f"the write-ahead log has {show_bytes(size)}: it cannot be written back to the file"
        return warning("log size", message, "Some process keeps a read transaction open. Find it: lsof, fuser.")

    async def _check_contents(self) -> Finding:
        size = _size_of(self._path)
        if size > LARGEST_CHECKED:
            return ok("contents", f"not read through: the file has {show_bytes(size)}. By hand: PRAGMA quick_check")
        said = await self._read_through()
        if said == "ok":
            return ok("contents", f"the file ({show_bytes(size)}) is sound")
        message = f"the file is damaged: {said}"
        return problem(
            "contents", message, "Stop all workers, keep a copy of file, -wal and -shm, bring back a backup."
        )

    async def _read_through(self) -> str:
        try:
            rows = await self._database.read(lambda snapshot: snapshot.read("quick_check"))
        except StoreUnavailable:
            raise
        except StoreError as error:
            return str(error)
        return str(rows[0][0])

    def _check_space(self) -> Finding:
        free = shutil.disk_usage(self._path.parent).free
        message = f"{show_bytes(free)} free on the disk"
        advice = "Free some: a full disk refuses every write. See dibs jobs purge, then VACUUM."
        if free < HARDLY_ANY_SPACE:
            return problem("disk space", message, advice)
        return warning("disk space", message, advice) if free < LITTLE_SPACE else ok("disk space", message)

    def _check_file_system(self) -> Finding:
        kind = find_file_system(self._path)
        if kind is None:
            return ok("file system", "of unknown kind; it must be a disk of this machine")
        if not kind.startswith(NETWORK_FILE_SYSTEMS):
            return ok("file system", f"{kind}, on this machine")
        message = f"the file is on {kind}, a network file system: locks and the write-ahead log do not work there"
        return problem("file system", message, "Move it to a disk of this machine, or use PostgreSQL or Redis.")


def find_file_system(path: Path) -> str | None:
    """Name the file system that holds a path, where the kernel tells; the deepest mount decides."""
    try:
        lines = MOUNTS.read_text().splitlines()
    except OSError:
        return None
    mounts = [(place.replace("\\040", " "), kind) for _, place, kind, *_ in map(str.split, lines)]
    holding = [(place, kind) for place, kind in mounts if path.is_relative_to(place)]
    return max(holding, key=lambda mount: len(mount[0]))[1] if holding else None


def _size_of(path: Path) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116 - as everywhere here: look, never open
    except OSError:
        return 0
