"""Random histories of every operation: each store must agree with the memory backend after every step."""

import os
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from dibs.testing import StoreHarness
from dibs.testing.machine import Histories, InterruptedHistories
from dibs.testing.stores.memory import MemoryStore
from dibs.testing.stores.postgres import PostgresStore
from dibs.testing.stores.redis import RedisStore
from dibs.testing.stores.sqlite import SqliteStore

MakeHarness = Callable[[], Awaitable[StoreHarness]]
STORES = ["memory", "sqlite", "postgres", "redis"]
WITH_TRANSACTIONS = ["sqlite", "postgres"]


@pytest.fixture
def make_harness(request: pytest.FixtureRequest) -> MakeHarness:
    makers: dict[str, Callable[[], MakeHarness]] = {
        "memory": lambda: in_memory,
        "sqlite": lambda: in_sqlite,
        "postgres": lambda: on_postgres(request.getfixturevalue("postgres_url")),
        "redis": lambda: on_redis(request.getfixturevalue("redis_url")),
    }
    return makers[request.param]()


async def in_memory() -> StoreHarness:
    return MemoryStore()


async def in_sqlite() -> StoreHarness:
    return SqliteStore()


def on_postgres(url: str) -> MakeHarness:
    async def make() -> StoreHarness:
        return await PostgresStore.start(f"{url}?schema=histories")

    return make


def on_redis(url: str) -> MakeHarness:
    async def make() -> StoreHarness:
        return RedisStore(url)

    return make


def run_machine(kind: type[Histories], make_harness: MakeHarness, profile: settings) -> None:
    machine: Any = type(kind.__name__, (kind,), {"make_harness": staticmethod(make_harness)})
    assert issubclass(machine, RuleBasedStateMachine)
    run_state_machine_as_test(machine, settings=profile)


def small() -> settings:
    return settings(settings.get_profile("small"), max_examples=15)


def large() -> settings:
    return settings(settings.get_profile("large"), max_examples=int(os.environ.get("DIBS_HISTORIES", "1000")))


@pytest.mark.parametrize("make_harness", STORES, indirect=True)
def test_every_history_ends_as_the_specification_says(make_harness: MakeHarness) -> None:
    run_machine(Histories, make_harness, small())


@pytest.mark.parametrize("make_harness", WITH_TRANSACTIONS, indirect=True)
def test_an_operation_whose_connection_is_cut_happens_whole_or_not_at_all(make_harness: MakeHarness) -> None:
    run_machine(InterruptedHistories, make_harness, small())


@pytest.mark.system
@pytest.mark.parametrize("make_harness", STORES, indirect=True)
def test_thousands_of_histories_end_as_the_specification_says(make_harness: MakeHarness) -> None:
    run_machine(Histories, make_harness, large())


@pytest.mark.system
@pytest.mark.parametrize("make_harness", WITH_TRANSACTIONS, indirect=True)
def test_a_thousand_histories_survive_cut_connections(make_harness: MakeHarness) -> None:
    run_machine(InterruptedHistories, make_harness, large())
