"""Attempts at what a child must not be able to do. Each gives True when it succeeded, which is bad."""

import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

GREEDY_BYTES = 4 << 30


def reach_network() -> bool:
    """Open a socket and send something to an address that exists for documentation only."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outside:
            outside.sendto(b"", ("192.0.2.1", 9))
    except OSError:
        return False
    return True


def read_secret() -> bool:
    """Read a file that has nothing to do with documents."""
    try:
        return bool(Path("/etc/passwd").read_bytes())
    except OSError:
        return False


def write_file() -> bool:
    """Write into the folder for temporary files."""
    path = Path(f"/tmp/dibs-probe-{os.getpid()}")  # noqa: S108 - it must not succeed
    try:
        path.write_bytes(b"x")
        path.unlink()
    except OSError:
        return False
    return True


def start_process() -> bool:
    """Fork."""
    try:
        child = os.fork()
    except OSError:
        return False
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return True


def take_memory() -> bool:
    """Take more memory than any document needs."""
    try:
        return len(bytearray(GREEDY_BYTES)) > 0
    except MemoryError:
        return False


def burn_time() -> bool:
    """Work without end; the child is ended before this gives anything."""
    ends_at = time.process_time() + 30
    while time.process_time() < ends_at:
        pass
    return True


PROBES: dict[str, Callable[[], bool]] = {
    "network": reach_network,
    "files": read_secret,
    "writing": write_file,
    "processes": start_process,
    "memory": take_memory,
    "time": burn_time,
}
