"""One etcd a test process. It fails, not skips, where etcd is missing: these tests belong to the system tier."""

import os
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from dibs.testing.servers import EtcdServer
from dibs.testing.stores.etcd import EtcdLeaseStore


@pytest.fixture(scope="session")
def etcd_url() -> Iterator[str]:
    """Your server when DIBS_TEST_ETCD_URL names one, else our own."""
    if url := os.environ.get("DIBS_TEST_ETCD_URL"):
        yield url
        return
    with EtcdServer() as server:
        yield server.url


@pytest_asyncio.fixture
async def store(etcd_url: str) -> AsyncIterator[EtcdLeaseStore]:
    store = EtcdLeaseStore(etcd_url)
    yield store
    await store.close()
