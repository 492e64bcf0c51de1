"""No file but those of Python, its packages, fonts and language data, and those only to read: Linux's Landlock."""

import ctypes
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
VERSION_FLAG, PATH_BENEATH = 1, 1
READ = 1 << 2 | 1 << 3
"""Read a file, list a folder."""
ALL_FILES = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
ALL_TCP = 0b11
ALL_SCOPES = 0b11
NET_SINCE, SCOPES_SINCE = 4, 6
SYSTEM = ("/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/share", "/usr/local/lib", "/etc/fonts", "/etc/ld.so.cache")


class _Rules(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def restrict(library: Any) -> bool:
    """Shut this process out of all other files for good; False where the kernel cannot."""
    version = library.syscall(CREATE_RULESET, None, 0, VERSION_FLAG)
    if version < 1:
        return False
    every = ALL_FILES[max(known for known in ALL_FILES if known <= version)]
    rules = _Rules(every, ALL_TCP if version >= NET_SINCE else 0, ALL_SCOPES if version >= SCOPES_SINCE else 0)
    size = 24 if version >= SCOPES_SINCE else 16 if version >= NET_SINCE else 8
    ruleset = library.syscall(CREATE_RULESET, ctypes.byref(rules), size, 0)
    if ruleset < 0:
        return False
    try:
        for folder in sorted(set(_readable())):
            _allow(library, ruleset, folder)
        return bool(library.syscall(RESTRICT_SELF, ruleset, 0) == 0)
    finally:
        os.close(ruleset)


def _readable() -> Iterator[str]:
    yield from SYSTEM
    yield from (sys.prefix, sys.base_prefix)
    yield from (path for path in sys.path if path.endswith(("site-packages", "dist-packages")))
    yield str(Path(__file__).resolve().parents[3])
    if os.environ.get("TESSDATA_PREFIX"):
        yield os.environ["TESSDATA_PREFIX"]


def _allow(library: Any, ruleset: int, folder: str) -> None:
    try:
        handle = os.open(folder, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        rights = READ if Path(folder).is_dir() else 1 << 2
        library.syscall(ADD_RULE, ruleset, PATH_BENEATH, ctypes.byref(_Beneath(rights, handle)), 0)
    finally:
        os.close(handle)
