"""The promises of named leases, kept by etcd: the suite, and random histories beside the memory backend."""

import os
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test as check_machine

from dibs.testing import EtcdLeaseStore, LeaseSuite, StoreHarness
from dibs.testing.machine import LeaseHistories

pytestmark = pytest.mark.system


class TestEtcd(LeaseSuite):
    @pytest_asyncio.fixture
    async def harness(self, etcd_url: str) -> AsyncIterator[EtcdLeaseStore]:
        store = EtcdLeaseStore(etcd_url)
        yield store
        await store.close()


def test_many_histories_end_as_the_specification_says(etcd_url: str) -> None:
    async def make_harness() -> StoreHarness:
        return EtcdLeaseStore(etcd_url)

    machine: Any = type("OnEtcd", (LeaseHistories,), {"make_harness": staticmethod(make_harness)})
    examples = int(os.environ.get("DIBS_HISTORIES", "100"))
    profile = settings(settings.get_profile("large"), max_examples=examples, stateful_step_count=40)
    check_machine(machine, settings=profile)
