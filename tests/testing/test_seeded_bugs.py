"""A test of the tests: every planted bug must make its sentence of the suite fail, and only the bug."""

from typing import Any

import pytest

from dibs.engine.store.backend import Backend
from dibs.settings import Settings
from dibs.testing import StoreHarness
from dibs.testing.stores.memory import MemoryStore
from tests.testing.seeded.bugs import CATCHERS, NO_BUG, plant
from tests.testing.seeded.schedule_bugs import SCHEDULE_CATCHERS, plant_in_schedules
from tests.testing.seeded.sentences import find_failure


class BuggyStore(MemoryStore):
    def __init__(self, bug: str) -> None:
        super().__init__()
        self._parts = plant_in_schedules(bug, self.now) if bug in SCHEDULE_CATCHERS else plant(bug, self.now)

    async def open(self, **settings: Any) -> Backend:
        return Backend(self._parts, Settings(**settings))

    async def reset(self) -> None:
        pass


async def find_failure_under(bug: str, sentence: str) -> BaseException | None:
    async def make() -> StoreHarness:
        return BuggyStore(bug)

    return await find_failure(sentence, make)


ALL = {**CATCHERS, **SCHEDULE_CATCHERS}


@pytest.mark.parametrize("sentence", sorted(set(ALL.values())))
async def test_without_a_bug_the_sentence_is_true(sentence: str) -> None:
    assert await find_failure_under(NO_BUG, sentence) is None


@pytest.mark.parametrize("bug", ALL)
async def test_the_suite_catches(bug: str) -> None:
    assert await find_failure_under(bug, ALL[bug]) is not None, f"not caught: {bug}"
