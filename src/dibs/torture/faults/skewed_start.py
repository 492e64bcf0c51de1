"""The command line on a machine whose clock jumps: `python skewed_start.py worker …`.

A script and no module: Python must be told the wrong time before anything of Dibs is imported. Every three seconds the
clock stands somewhere else: ten minutes ahead, a day behind, right.
"""

import ctypes
import gc
import runpy
import sys
import time
from datetime import UTC, datetime
from typing import Any

JUMPS = (600.0, -86_400.0, 0.0, -600.0, 86_400.0)
STEADY_SECONDS = 3.0
true_time, true_time_ns = time.time, time.time_ns


def find_skew() -> float:
    """How wrong the clock is now."""
    return JUMPS[int(time.monotonic() / STEADY_SECONDS) % len(JUMPS)]


def tell_wrong_time(cls: type[datetime], tz: Any = None) -> datetime:
    """Tell the time of the wrong clock."""
    return cls.fromtimestamp(true_time() + find_skew(), tz)


def tell_wrong_utc(cls: type[datetime]) -> datetime:
    """Tell it the old way."""
    return tell_wrong_time(cls, UTC).replace(tzinfo=None)


def skew_clock() -> None:
    """Let whoever asks this process for the time get the wrong one.

    The methods of the one true class are exchanged, since a class beside it is not what msgspec and drivers read
    instants into: whatever has one in it could not be decoded.
    """
    time.time = lambda: true_time() + find_skew()
    time.time_ns = lambda: true_time_ns() + int(find_skew() * 1e9)
    methods = gc.get_referents(datetime.__dict__)[0]
    methods["now"] = classmethod(tell_wrong_time)
    methods["utcnow"] = classmethod(tell_wrong_utc)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(datetime))


if __name__ == "__main__":
    skew_clock()
    # Our own folder is no place for Python to look for modules.
    sys.path.pop(0)
    runpy.run_module("dibs.cli", run_name="__main__")
