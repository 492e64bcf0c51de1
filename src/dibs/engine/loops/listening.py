"""Waking the claiming loops when the store says that jobs are waiting."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import timedelta

from dibs.engine.store.backend import CANCEL_NOTICE, Backend
from dibs.engine.store.governing import RULES_NOTICE
from dibs.errors import StoreError
from dibs.kit.log import get_logger
from dibs.kit.waiting import wait_set

log = get_logger("dibs.listening")
PATIENCE = timedelta(seconds=30)
AFTER_A_FAULT = 1.0


class Listening:
    """One subscription for all claiming loops of a worker."""

    def __init__(self, backend: Backend, queues: Sequence[str] | None) -> None:
        self._backend = backend
        self._queues = queues
        self._waiting: set[asyncio.Event] = set()
        self._heard = 0
        self._deaf = 2
        self._ready = asyncio.Event()

    @property
    def heard(self) -> int:
        """How many notices have come so far. Ask before a claim, and give it to `wait` after it."""
        return self._heard

    async def wait(self, pause: timedelta, *, since: int) -> bool:
        """Wait for a notice, at the longest for the pause; not at all if one came in the meantime."""
        if self._heard != since:
            return True
        news = asyncio.Event()
        self._waiting.add(news)
        try:
            return await wait_set(news, pause.total_seconds())
        finally:
            self._waiting.discard(news)

    async def ready(self, patience: timedelta) -> None:
        """Wait until both subscriptions stand, or for as long as one has patience."""
        await wait_set(self._ready, patience.total_seconds())

    async def run(self) -> None:
        """Pass notices on, until cancelled. Without them the loops still ask from time to time."""
        await self._listen_to(self._queues, self._wake)

    async def run_for_acts(self, look: Callable[[], None]) -> None:
        """Look as soon as an operator has cancelled something or changed a rule."""

        def look_and_wake() -> None:
            look()
            self._wake()

        await self._listen_to([CANCEL_NOTICE, RULES_NOTICE], look_and_wake)

    async def _listen_to(self, queues: Sequence[str] | None, act: Callable[[], None]) -> None:
        is_told = False
        while True:
            try:
                async with self._backend.notices.subscribe(queues) as subscription:
                    self._note_ready()
                    is_told = False
                    while True:
                        if await subscription.wait(PATIENCE):
                            act()
            except (StoreError, OSError) as error:
                if not is_told:
                    log.warning("engine.listening.failed", error=type(error).__name__)
                is_told = True
                await asyncio.sleep(AFTER_A_FAULT)

    def _note_ready(self) -> None:
        self._deaf -= 1
        if self._deaf <= 0:
            self._ready.set()

    def _wake(self) -> None:
        self._heard += 1
        for news in self._waiting:
            news.set()
