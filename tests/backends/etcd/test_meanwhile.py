"""What happens between the look and the transaction is seen by the transaction: nobody acts on what he saw before."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest
import pytest_asyncio

from dibs.backends.etcd.gateway import Gateway
from dibs.backends.etcd.leases import EtcdLeases, Seat
from dibs.engine.store.protocols import NamedLease
from dibs.testing.stores.etcd import EtcdLeaseStore

pytestmark = pytest.mark.system
TTL = timedelta(seconds=30)
LONG = timedelta(minutes=5)


class Interrupted(EtcdLeases):
    """Leases with something that happens once, right after a look."""

    def __init__(self, gateway: Gateway) -> None:
        super().__init__(gateway)
        self.meanwhile: Callable[[], Awaitable[object]] | None = None

    async def _look(self, name: str) -> Seat:
        seat = await super()._look(name)
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            await meanwhile()
        return seat


@pytest_asyncio.fixture
async def slow(store: EtcdLeaseStore) -> Interrupted:
    return Interrupted(store.gateway)


@pytest_asyncio.fixture
async def quick(store: EtcdLeaseStore) -> EtcdLeases:
    return EtcdLeases(store.gateway)


@pytest_asyncio.fixture
async def lease(quick: EtcdLeases) -> NamedLease:
    lease = await quick.acquire("lock", "ann", TTL)
    assert lease is not None
    return lease


async def lose(store: EtcdLeaseStore, leases: EtcdLeases) -> NamedLease:
    """Let the lease end, and another take it."""
    await store.advance(LONG)
    taken = await leases.acquire("lock", "ben", TTL)
    assert taken is not None
    return taken


async def test_who_was_quicker_keeps_it(slow: Interrupted, quick: EtcdLeases) -> None:
    slow.meanwhile = lambda: quick.acquire("lock", "ben", TTL)
    assert await slow.acquire("lock", "ann", TTL) is None
    found = await quick.find("lock")
    assert found is not None
    assert found.owner == "ben"


async def test_a_renewal_does_not_take_it_from_who_has_it_now(
    store: EtcdLeaseStore, slow: Interrupted, quick: EtcdLeases, lease: NamedLease
) -> None:
    slow.meanwhile = lambda: lose(store, quick)
    assert await slow.renew(lease, TTL) is None
    found = await quick.find("lock")
    assert found is not None
    assert (found.owner, found.token > lease.token) == ("ben", True)


async def test_a_release_does_not_take_it_from_who_has_it_now(
    store: EtcdLeaseStore, slow: Interrupted, quick: EtcdLeases, lease: NamedLease
) -> None:
    slow.meanwhile = lambda: lose(store, quick)
    assert await slow.release(lease) is False
    found = await quick.find("lock")
    assert found is not None
    assert found.owner == "ben"


async def test_a_renewal_does_not_bring_back_what_was_released(
    slow: Interrupted, quick: EtcdLeases, lease: NamedLease
) -> None:
    slow.meanwhile = lambda: quick.release(lease)
    assert await slow.renew(lease, TTL) is None
    assert await quick.find("lock") is None


async def test_a_renewal_goes_on_where_it_expires_meanwhile(
    store: EtcdLeaseStore, slow: Interrupted, quick: EtcdLeases, lease: NamedLease
) -> None:
    slow.meanwhile = lambda: store.advance(LONG)
    renewed = await slow.renew(lease, TTL)
    assert renewed is not None
    assert renewed.token == lease.token
    assert await quick.acquire("lock", "ben", TTL) is None


async def test_a_renewal_goes_on_where_its_owner_renews_meanwhile(
    slow: Interrupted, quick: EtcdLeases, lease: NamedLease
) -> None:
    slow.meanwhile = lambda: quick.renew(lease, LONG)
    renewed = await slow.renew(lease, TTL)
    assert renewed is not None
    assert await quick.find("lock") == renewed


async def test_who_comes_back_under_the_same_name_gets_a_new_number(
    store: EtcdLeaseStore, slow: Interrupted, quick: EtcdLeases, lease: NamedLease
) -> None:
    async def release_and_take_again() -> None:
        assert await quick.release(lease)
        assert await quick.acquire("lock", "ann", TTL) is not None

    slow.meanwhile = release_and_take_again
    assert await slow.release(lease) is False
    assert await slow.renew(lease, TTL) is None
    found = await quick.find("lock")
    assert found is not None
    assert found.token > lease.token


async def test_a_renewal_of_an_expired_one_sees_that_another_came_and_went(
    store: EtcdLeaseStore, slow: Interrupted, quick: EtcdLeases, lease: NamedLease
) -> None:
    async def come_and_go() -> None:
        taken = await lose(store, quick)
        assert await quick.release(taken)

    await store.advance(LONG)
    slow.meanwhile = come_and_go
    assert await slow.renew(lease, TTL) is None
    assert await quick.find("lock") is None
