"""How often the cache has answered, by source: counted here, and written down together every few seconds."""

import time
from collections.abc import Callable
from enum import StrEnum

from dibs.outside.cache.records import CacheTally

# A write for every page would cost more than what it counts.
WRITE_SECONDS = 5.0


class Answer(StrEnum):
    """Where an answer came from: the cache, the source that said it is unchanged, or the source."""

    HIT = "hits"
    REVALIDATED = "revalidated"
    MISS = "misses"


class Tallying:
    """What was counted since it was last written down. The first answer is written at once."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._due_at = clock()
        self._counts: dict[str, dict[str, int]] = {}

    def note(self, source: str, answer: Answer) -> None:
        """Count one answer."""
        counts = self._counts.setdefault(source, dict.fromkeys(Answer, 0))
        counts[answer] += 1

    @property
    def is_due(self) -> bool:
        """Whether there is something to write, and nothing was written lately."""
        return bool(self._counts) and self._clock() >= self._due_at

    def take(self) -> list[CacheTally]:
        """Give what was counted, and begin anew."""
        taken = [CacheTally(source=source, **counts) for source, counts in self._counts.items()]
        self._counts = {}
        self._due_at = self._clock() + WRITE_SECONDS
        return taken
