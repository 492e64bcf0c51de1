"""What a child gives up before it opens a document.

Each step is tried on its own: a system that lacks one still gets the others, and `dibs doctor` says which one is
missing. Nothing here needs root.
"""

import ctypes
import os
import resource
import signal
import sys

from dibs.services.resumes.sandbox import filesystem, syscalls
from dibs.services.resumes.sandbox.allowance import Allowance

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38
CLONE_NEWNET, CLONE_NEWUSER, CLONE_NEWIPC = 0x40000000, 0x10000000, 0x08000000
IS_LINUX = sys.platform == "linux"


def leave_network() -> bool:
    """Move this process into a network of its own, with nothing in it. The process may not have threads yet."""
    if not IS_LINUX:
        return False
    library = ctypes.CDLL(None, use_errno=True)
    return bool(library.unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC) == 0)


def die_with_parent() -> None:
    """End this process when the one that started it ends."""
    if IS_LINUX:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def confine(allowance: Allowance) -> None:
    """Give up what a reader does not need. There is no way back."""
    _set_limits(allowance)
    if not IS_LINUX:
        return
    library = ctypes.CDLL(None, use_errno=True)
    library.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    library.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    filesystem.restrict(library)
    syscalls.restrict(library)


def _set_limits(allowance: Allowance) -> None:
    cpu = max(allowance.cpu_seconds, 1)
    limits = {
        "RLIMIT_CORE": (0, 0),
        "RLIMIT_FSIZE": (0, 0),
        "RLIMIT_CPU": (cpu, cpu + 1),
        "RLIMIT_NOFILE": (allowance.open_files, allowance.open_files),
        "RLIMIT_NPROC": (0, 0),
        "RLIMIT_AS": (_held_bytes() + allowance.memory_bytes,) * 2,
    }
    for name, (soft, hard) in limits.items():
        try:
            resource.setrlimit(getattr(resource, name), (soft, hard))
        except (AttributeError, ValueError, OSError):
            continue


def _held_bytes() -> int:
    """Give the size of this process as it was forked: only what it adds counts."""
    try:
        with open("/proc/self/statm", encoding="ascii") as table:  # noqa: PTH123 - nothing else is open yet
            return int(table.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 1 << 30
