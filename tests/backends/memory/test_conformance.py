"""The executable specification keeps its own promises."""

from collections.abc import AsyncIterator
from datetime import datetime, time, timedelta

import pytest_asyncio

from dibs.testing import BackendSuite
from dibs.testing.stores.memory import MemoryStore
from dibs.testing.suite.admission.pacing import Pacing


class TestMemory(BackendSuite):
    @pytest_asyncio.fixture
    async def harness(self) -> AsyncIterator[MemoryStore]:
        yield MemoryStore()


class JustBeforeMidnight(MemoryStore):
    """A day ends in the midst of most tests."""

    async def reset(self) -> None:
        """Empty the store, a millisecond before the end of a day."""
        await super().reset()
        now = self.now()
        midnight = datetime.combine(now.date() + timedelta(days=1), time(), now.tzinfo)
        await self.advance(midnight - now - timedelta(milliseconds=1))


class TestMemoryJustBeforeMidnight(Pacing):
    @pytest_asyncio.fixture
    async def harness(self) -> AsyncIterator[MemoryStore]:
        yield JustBeforeMidnight()
