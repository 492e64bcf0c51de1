"""Whether a worker reaches its store: told once when it is lost, and once when it is back."""

import time
from enum import StrEnum

from dibs.engine import events
from dibs.engine.events import Events
from dibs.errors import StoreError


class Doing(StrEnum):
    """What a worker asks of the store."""

    CLAIMING = "claiming"
    FINISHING = "finishing"
    BEATING = "beating"
    REAPING = "reaping"
    SEALING = "sealing"
    PRUNING = "pruning"
    SCHEDULING = "scheduling"


class Reach:
    """Hears of every failed call from the worker's loops. Call it on the worker's event loop only."""

    def __init__(self, tell: Events) -> None:
        self.tell = tell
        self._failing: set[str] = set()
        self._lost_at = 0.0
        self._faults = 0

    @property
    def is_lost(self) -> bool:
        """Whether something fails at the moment."""
        return bool(self._failing)

    def failed(self, error: StoreError, doing: str) -> None:
        """A call has failed. It is always an event; the first one also tells that the store is lost."""
        facts = {"error": type(error).__name__, "while_doing": str(doing)}
        self.tell.emit(events.STORE_FAULTED, **facts)
        if not self._failing:
            self._lost_at, self._faults = time.monotonic(), 0
            self.tell.emit(events.STORE_LOST, **facts)
        self._faults += 1
        self._failing.add(doing)

    def answered(self, doing: str) -> None:
        """A call went through. The store is back when whatever failed works again."""
        if doing in self._failing:
            self._failing.remove(doing)
            if not self._failing:
                seconds = round(time.monotonic() - self._lost_at, 1)
                self.tell.emit(events.STORE_REGAINED, seconds=seconds, faults=self._faults)
