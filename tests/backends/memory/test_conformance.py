"""The executable specification keeps its own promises."""

from collections.abc import AsyncIterator

import pytest_asyncio

from dibs.testing import BackendSuite
from dibs.testing.stores.memory import MemoryStore


class TestMemory(BackendSuite):
    @pytest_asyncio.fixture
    async def harness(self) -> AsyncIterator[MemoryStore]:
        yield MemoryStore()
