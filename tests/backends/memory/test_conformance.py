"""The executable specification keeps its own promises."""

from collections.abc import AsyncIterator

import pytest_asyncio

from dibs.testing import BackendSuite
from dibs.testing.stores.memory import MemoryStore
from dibs.testing.suite.firing import Firing
from dibs.testing.suite.scheduling import Scheduling


class TestMemory(BackendSuite, Scheduling, Firing):
    @pytest_asyncio.fixture
    async def harness(self) -> AsyncIterator[MemoryStore]:
        yield MemoryStore()
