"""SQLite's errors, told as ours."""

import os
import shutil
import sqlite3
from pathlib import Path

from dibs.errors import (
    BadInput,
    DibsError,
    OutcomeUnknown,
    SchemaMismatch,
    StoreAccessDenied,
    StoreError,
    StoreUnavailable,
)

_FAMILY = 0xFF
# What SQLite needs beside the file to open it at all: the index of the write-ahead log.
_ROOM_TO_OPEN = 32 * 1024
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
# After these the connection itself is not to be trusted any more.
_BREAKING = frozenset(
    {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CANTOPEN}
    | {sqlite3.SQLITE_READONLY}
)


def family(error: BaseException) -> int:
    """Give SQLite's primary result code, 0 where there is none."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & _FAMILY


def is_busy(error: BaseException) -> bool:
    """Tell whether somebody else holds the lock."""
    return family(error) in _BUSY


def is_breaking(error: BaseException) -> bool:
    """Tell whether to open a new connection before going on."""
    return family(error) in _BREAKING or isinstance(error, sqlite3.ProgrammingError)


def explain(error: BaseException, path: str, *, at_commit: bool = False) -> BaseException:
    """Turn whatever a statement raised into an error of Dibs that says what to do."""
    if isinstance(error, DibsError):
        return error
    if isinstance(error, (UnicodeEncodeError, OverflowError)):
        return BadInput(f"SQLite cannot keep this value ({error}). Use valid Unicode text and 64-bit numbers.")
    if not isinstance(error, sqlite3.Error):
        return error
    code = family(error)
    if code == sqlite3.SQLITE_IOERR and at_commit:
        return OutcomeUnknown(f"{path}: the disk failed during a commit ({error}). Look before you try again.")
    if code == sqlite3.SQLITE_IOERR and _is_full(path):
        code = sqlite3.SQLITE_FULL
    if code == sqlite3.SQLITE_CANTOPEN:
        return _explain_closed_door(error, path)
    if "no such table: dibs_" in str(error) or "no such view: dibs_" in str(error):
        return SchemaMismatch(
            f"{path} has no Dibs tables ({error}). Run dibs db migrate, or open it once with migrate=True."
        )
    kind, advice = _ADVICE.get(code, (StoreError, "SQLite refused a statement; please report this."))
    return kind(f"{path}: {error}. {advice}")


def _is_full(path: str) -> bool:
    try:
        return shutil.disk_usage(Path(path).parent).free < _ROOM_TO_OPEN
    except OSError:
        return False


def _explain_closed_door(error: sqlite3.Error, path: str) -> StoreError:
    file = Path(path)
    folder = file.parent
    if not folder.is_dir():
        return explain_missing_folder(file)
    if file.is_dir():
        return StoreUnavailable(f"{path} is a folder. Name a file in the URL of the store.")
    if not file.exists() and os.access(folder, os.W_OK):
        return StoreUnavailable(f"{path} is gone: deleted or moved. Put it back, or open the store anew.")
    return StoreAccessDenied(f"{path} cannot be opened ({error}). Give this user the right to read and write it.")


def explain_missing_folder(file: Path) -> StoreUnavailable:
    """Say which folder is missing: we make files, never folders."""
    return StoreUnavailable(f"the folder {file.parent} does not exist. Make it, or correct the URL of the store.")


_LOCKED_OUT = (
    "Another connection kept the write lock for longer than busy_timeout; nothing was written. Look for a process"
    " (or a transaction of this one) that writes to the file and does not commit. If you passed a connection whose"
    " transaction began with a read, roll back and start again with BEGIN IMMEDIATE."
)
_ADVICE: dict[int, tuple[type[StoreError], str]] = {
    sqlite3.SQLITE_BUSY: (StoreUnavailable, _LOCKED_OUT),
    sqlite3.SQLITE_INTERRUPT: (StoreUnavailable, "The statement was broken off; nothing was written. Try again."),
    sqlite3.SQLITE_LOCKED: (StoreUnavailable, "Another statement holds the table; nothing was written. Try again."),
    sqlite3.SQLITE_FULL: (StoreUnavailable, "The disk is full; nothing was written. Free some space and try again."),
    sqlite3.SQLITE_IOERR: (StoreUnavailable, "The disk failed; nothing was written. Look at the disk, then try again."),
    sqlite3.SQLITE_READONLY: (
        StoreAccessDenied,
        "Give this user the right to write the file and its folder (SQLite keeps two more files beside it).",
    ),
    sqlite3.SQLITE_PERM: (StoreAccessDenied, "Give this user the right to read and write the file."),
    sqlite3.SQLITE_AUTH: (StoreAccessDenied, "Give this user the right to read and write the file."),
    sqlite3.SQLITE_NOTADB: (StoreError, "The file is no SQLite database. Name another one in the URL of the store."),
    sqlite3.SQLITE_CORRUPT: (StoreError, "The file is damaged. Stop all workers and bring back a copy."),
}
