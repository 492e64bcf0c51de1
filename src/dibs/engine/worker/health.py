"""Whether a worker is well: it reaches its store, and its event loop turns."""

import json
import os
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from dibs.engine.executors.threads import LeftThreads

RED_AFTER = timedelta(seconds=10)


class Health:
    """Two signs of life, each with an age, and stuck threads. Red when a sign is too old, or they are too many."""

    def __init__(
        self,
        *,
        left: LeftThreads | None = None,
        red_after: timedelta = RED_AFTER,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._left = LeftThreads() if left is None else left
        self._red_after = red_after.total_seconds()
        self._monotonic = monotonic
        self._store_at = self._loop_at = monotonic()

    def saw_store(self) -> None:
        """The store has answered."""
        self._store_at = self._monotonic()

    def saw_loop(self) -> None:
        """The event loop has turned."""
        self._loop_at = self._monotonic()

    @property
    def is_well(self) -> bool:
        """Whether both signs are fresh."""
        return not self.complaints()

    def complaints(self) -> list[str]:
        """Say what is wrong."""
        now = self._monotonic()
        ages = {
            "the store has not answered": now - self._store_at,
            "the event loop has not turned": now - self._loop_at,
        }
        too_old = [f"{what} for {age:.0f} s" for what, age in ages.items() if age > self._red_after]
        obstacle = self._left.find_obstacle()
        return [*too_old, obstacle] if obstacle else too_old

    def report(self) -> dict[str, Any]:
        """Tell it as data."""
        complaints = self.complaints()
        status = "red" if complaints else "green"
        return {
            "status": status,
            "complaints": complaints,
            "threads_left_behind": self._left.count(),
            "pid": os.getpid(),
        }

    def write_file(self, path: Path) -> None:
        """Keep the report in a file, replaced as a whole; its age tells that somebody still writes it."""
        draft = path.with_name(f"{path.name}.{os.getpid()}.tmp")
        draft.write_text(json.dumps({**self.report(), "at": time.time()}))
        draft.replace(path)
