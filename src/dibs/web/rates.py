"""How often somebody may ask: a bucket for each, in the memory of this process."""

import math
import time
from collections import OrderedDict
from collections.abc import Callable

import msgspec

from dibs.errors import RequestRefused

MOST_BUCKETS = 10_000


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """So many a second in the long run, and so many at once."""

    per_second: float
    burst: int


class Buckets:
    """One bucket a name. Those asked for least lately are forgotten first, and begin full again."""

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str) -> None:
        """Take one, or refuse and say when to come again."""
        left = self._fill(name)
        if left < 1:
            self._refuse(left)
        self._keep(name, left - 1)

    def check(self, name: str) -> None:
        """Refuse if there is none left, without taking one."""
        left = self._fill(name)
        if left < 1:
            self._refuse(left)

    def _fill(self, name: str) -> float:
        level, seen = self._buckets.get(name, (float(self._rate.burst), self._clock()))
        return min(self._rate.burst, level + (self._clock() - seen) * self._rate.per_second)

    def _keep(self, name: str, level: float) -> None:
        self._buckets[name] = (level, self._clock())
        self._buckets.move_to_end(name)
        if len(self._buckets) > MOST_BUCKETS:
            self._buckets.popitem(last=False)

    def _refuse(self, left: float) -> None:
        seconds = max(1, math.ceil((1 - left) / self._rate.per_second))
        message = f"too many requests. Wait {seconds} s, then go on at {self._rate.per_second:g} a second or less."
        raise RequestRefused(message, code="too_many_requests", retry_after=seconds)
