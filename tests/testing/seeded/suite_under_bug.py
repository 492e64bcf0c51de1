"""The suite on a memory backend with the bug that DIBS_SEEDED_BUG names. Run by test_seeded_bugs.py."""

import os
from collections.abc import AsyncIterator
from typing import Any

import pytest_asyncio

from dibs.engine.store.backend import Backend
from dibs.settings import Settings
from dibs.testing import BackendSuite
from dibs.testing.stores.memory import MemoryStore
from tests.testing.seeded.bugs import plant


class BuggyStore(MemoryStore):
    def __init__(self) -> None:
        super().__init__()
        self._parts = plant(os.environ["DIBS_SEEDED_BUG"], self.now)

    async def open(self, **settings: Any) -> Backend:
        return Backend(self._parts, Settings(**settings))

    async def reset(self) -> None:
        pass


class TestUnderBug(BackendSuite):
    @pytest_asyncio.fixture
    async def harness(self) -> AsyncIterator[BuggyStore]:
        yield BuggyStore()
