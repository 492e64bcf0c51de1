"""Random histories of every operation: each store must agree with the memory backend after every step."""

import os
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from dibs.testing import StoreHarness
from dibs.testing.machine import Cut, Histories, InterruptedHistories
from dibs.testing.stores.memory import MemoryStore
from dibs.testing.stores.postgres import PostgresStore
from dibs.testing.stores.redis import RedisStore
from dibs.testing.stores.sqlite import SqliteStore
from tests.backends.cuts.postgres import CuttablePostgres
from tests.backends.cuts.sqlite import CuttableSqlite

MakeHarness = Callable[[], Awaitable[StoreHarness]]
STORES = ["memory", "sqlite", "postgres", "redis"]
CUTTABLE = ["cuttable sqlite", "cuttable postgres"]


@pytest.fixture
def make_harness(request: pytest.FixtureRequest) -> MakeHarness:
    makers: dict[str, Callable[[], MakeHarness]] = {
        "memory": lambda: in_memory,
        "sqlite": lambda: in_sqlite,
        "postgres": lambda: on_postgres(request.getfixturevalue("postgres_url")),
        "redis": lambda: on_redis(request.getfixturevalue("redis_url")),
        "cuttable sqlite": lambda: in_cuttable_sqlite,
        "cuttable postgres": lambda: on_postgres(request.getfixturevalue("postgres_url"), CuttablePostgres),
    }
    return makers[request.param]()


async def in_memory() -> StoreHarness:
    return MemoryStore()


async def in_sqlite() -> StoreHarness:
    return SqliteStore()


async def in_cuttable_sqlite() -> StoreHarness:
    return CuttableSqlite()


def on_postgres(url: str, kind: type[PostgresStore] = PostgresStore) -> MakeHarness:
    async def make() -> StoreHarness:
        return await kind.start(f"{url}?schema=histories")

    return make


def on_redis(url: str) -> MakeHarness:
    async def make() -> StoreHarness:
        return RedisStore(url)

    return make


def check_machine(kind: type[Histories], make_harness: MakeHarness, profile: settings, **facts: Any) -> None:
    machine: Any = type(kind.__name__, (kind,), {"make_harness": staticmethod(make_harness), **facts})
    assert issubclass(machine, RuleBasedStateMachine)
    run_state_machine_as_test(machine, settings=profile)


def check_under_cuts(make_harness: MakeHarness, profile: settings) -> None:
    tally: Counter[str] = Counter()
    check_machine(InterruptedHistories, make_harness, profile, tally=tally)
    struck = sum(tally[cut] for cut in Cut)
    # Some moves never reach the store: those of holders when nothing was ever held.
    assert struck >= 0.4 * tally[InterruptedHistories.ARMED], tally
    assert all(tally[cut] >= 0.05 * struck for cut in Cut), tally
    # A read that is cut is made again, and nobody is told.
    assert tally[InterruptedHistories.TOLD] >= 0.5 * struck, tally


def small(examples: int = 15) -> settings:
    return settings(settings.get_profile("small"), max_examples=examples)


def large() -> settings:
    return settings(settings.get_profile("large"), max_examples=int(os.environ.get("DIBS_HISTORIES", "200")))


@pytest.mark.parametrize("make_harness", STORES, indirect=True)
def test_every_history_ends_as_the_specification_says(make_harness: MakeHarness) -> None:
    check_machine(Histories, make_harness, small())


@pytest.mark.parametrize("make_harness", CUTTABLE, indirect=True)
def test_an_operation_whose_connection_is_cut_happens_whole_or_not_at_all(make_harness: MakeHarness) -> None:
    check_under_cuts(make_harness, small(10))


@pytest.mark.system
@pytest.mark.parametrize("make_harness", STORES, indirect=True)
def test_many_histories_end_as_the_specification_says(make_harness: MakeHarness) -> None:
    check_machine(Histories, make_harness, large())


@pytest.mark.system
@pytest.mark.parametrize("make_harness", CUTTABLE, indirect=True)
def test_many_histories_survive_cut_connections(make_harness: MakeHarness) -> None:
    check_under_cuts(make_harness, large())
