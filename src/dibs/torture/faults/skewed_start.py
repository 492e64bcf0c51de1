"""The command line on a machine whose clock jumps: `python skewed_start.py worker …`.

A script and no module: Python must be told the wrong time before anything of Dibs is imported. Every three seconds the
clock stands somewhere else: ten minutes ahead, a day behind, right.
"""

import datetime as dt
import runpy
import sys
import time
from datetime import datetime as TrueDatetime  # noqa: N812 - the true one, under a name that stays
from typing import Any

JUMPS = (600.0, -86_400.0, 0.0, -600.0, 86_400.0)
STEADY_SECONDS = 3.0
true_time, true_time_ns = time.time, time.time_ns


def find_skew() -> float:
    """How wrong the clock is now."""
    return JUMPS[int(time.monotonic() / STEADY_SECONDS) % len(JUMPS)]


class AnyDatetime(type):
    """Drivers written in C make true datetimes: they are instances too."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, TrueDatetime)


class SkewedDatetime(TrueDatetime, metaclass=AnyDatetime):
    """A datetime that believes the wrong clock."""

    @classmethod
    def now(cls, tz: Any = None) -> Any:
        """Tell the wrong time."""
        return cls.fromtimestamp(true_time() + find_skew(), tz)

    @classmethod
    def utcnow(cls) -> Any:
        """Tell it the old way."""
        return cls.fromtimestamp(true_time() + find_skew(), dt.UTC).replace(tzinfo=None)


if __name__ == "__main__":
    time.time = lambda: true_time() + find_skew()
    time.time_ns = lambda: true_time_ns() + int(find_skew() * 1e9)
    setattr(dt, "datetime", SkewedDatetime)  # noqa: B010 - mypy lets nobody assign to a type
    # Our own folder is no place for Python to look for modules.
    sys.path.pop(0)
    runpy.run_module("dibs.cli", run_name="__main__")
