"""A desk that keeps what it was asked, and refuses what it is told to refuse."""

import asyncio
from typing import Any

from dibs import Job


class FakeDesk:
    """`said` fills with progress; `refusal` is raised by everything but progress."""

    def __init__(self, refusal: Exception | None = None) -> None:
        self.said: asyncio.Queue[Any] = asyncio.Queue()
        self.beats = 0
        self.enqueued: list[tuple[Any, Any, dict[str, Any]]] = []
        self._refusal = refusal

    async def report_progress(self, value: Any) -> None:
        self.said.put_nowait(value)

    async def heartbeat(self) -> None:
        self.beats += 1
        self._refuse()

    async def enqueue(self, task: Any, given: Any, options: dict[str, Any]) -> Job | None:
        self.enqueued.append((task, given, options))
        self._refuse()
        return None if options.get("unique_key") == "taken" else Job(id="child", job_type=task, input=given)

    async def audit(self, action: str, facts: dict[str, Any]) -> None:
        raise NotImplementedError

    def transaction(self) -> Any:
        raise NotImplementedError

    def _refuse(self) -> None:
        if self._refusal is not None:
            raise self._refusal
