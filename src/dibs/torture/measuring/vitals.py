"""What a process takes from the machine, as Linux tells it."""

import os
import time
from pathlib import Path

import msgspec

KIBIBYTE = 1024
PAGE = b"\0" * 4096


class Vitals(msgspec.Struct, frozen=True, kw_only=True):
    """What a process takes at an instant."""

    resident_mib: float
    handles: int
    threads: int


def read_vitals(pid: int) -> Vitals | None:
    """Look at a process; None when it is gone."""
    folder = Path(f"/proc/{pid}")
    try:
        status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines() if ":" in line)
        handles = len(list((folder / "fd").iterdir()))
        resident = int(status["VmRSS"].split()[0])
    except (OSError, KeyError):
        return None
    return Vitals(resident_mib=resident / KIBIBYTE, handles=handles, threads=int(status["Threads"]))


def time_sync(folder: Path) -> float:
    """Write one page and sync it: the yardstick of latencies, which tells a slow store from a busy machine."""
    path = folder / "yardstick"
    begin = time.monotonic()
    handle = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        os.write(handle, PAGE)
        os.fsync(handle)
    finally:
        os.close(handle)
    return time.monotonic() - begin
