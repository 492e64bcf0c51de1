"""Named leases: locks with an owner, an end and a fencing number."""

import asyncio
from datetime import timedelta

from msgspec.structs import replace

from dibs.engine.store.backend import Backend
from dibs.testing.harness import StoreHarness
from dibs.testing.suite.ground import MINUTE, SECOND, Ground


class Leasing(Ground):
    """Acquire, renew, release, find."""

    async def test_a_free_name_can_be_taken_once(self, backend: Backend) -> None:
        lease = await backend.leases.acquire("lock:a", "alice", MINUTE)
        assert lease is not None
        assert (lease.name, lease.owner) == ("lock:a", "alice")
        assert await backend.leases.acquire("lock:a", "bob", MINUTE) is None
        assert await backend.leases.acquire("lock:a", "alice", MINUTE) is None
        assert await backend.leases.acquire("lock:b", "bob", MINUTE) is not None
        assert await backend.leases.find("lock:a") == lease

    async def test_it_ends_by_the_stores_clock(self, backend: Backend, harness: StoreHarness) -> None:
        before = await backend.reader.now()
        lease = await backend.leases.acquire("lock", "alice", MINUTE)
        assert lease is not None
        assert timedelta(0) <= lease.expires_at - (before + MINUTE) < 5 * SECOND
        await harness.advance(MINUTE + SECOND)
        assert await backend.leases.find("lock") is None
        taken = await backend.leases.acquire("lock", "bob", MINUTE)
        assert taken is not None
        assert taken.owner == "bob"

    async def test_its_number_only_grows_across_expiry_and_release(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        numbers = []
        for turn in range(4):
            lease = await backend.leases.acquire("lock", f"owner-{turn}", MINUTE)
            assert lease is not None
            numbers.append(lease.token)
            if turn % 2:
                await harness.advance(2 * MINUTE)
            else:
                assert await backend.leases.release(lease)
        assert numbers == sorted(set(numbers))

    async def test_renewing_moves_its_end_and_keeps_its_number(self, backend: Backend, harness: StoreHarness) -> None:
        lease = await backend.leases.acquire("lock", "alice", MINUTE)
        assert lease is not None
        await harness.advance(50 * SECOND)
        renewed = await backend.leases.renew(lease, MINUTE)
        assert renewed is not None
        assert renewed.token == lease.token
        assert renewed.expires_at >= lease.expires_at + 50 * SECOND - SECOND
        await harness.advance(50 * SECOND)
        assert await backend.leases.acquire("lock", "bob", MINUTE) is None

    async def test_one_that_merely_expired_can_be_renewed(self, backend: Backend, harness: StoreHarness) -> None:
        lease = await backend.leases.acquire("lock", "alice", MINUTE)
        assert lease is not None
        await harness.advance(5 * MINUTE)
        assert await backend.leases.renew(lease, MINUTE) is not None
        assert await backend.leases.acquire("lock", "bob", MINUTE) is None

    async def test_one_that_another_took_cannot_be_renewed_or_released(
        self, backend: Backend, harness: StoreHarness
    ) -> None:
        lease = await backend.leases.acquire("lock", "alice", MINUTE)
        assert lease is not None
        await harness.advance(5 * MINUTE)
        current = await backend.leases.acquire("lock", "alice", MINUTE)
        assert current is not None
        assert await backend.leases.renew(lease, MINUTE) is None
        assert not await backend.leases.release(lease)
        assert await backend.leases.find("lock") == current

    async def test_a_released_one_is_gone_for_its_owner_too(self, backend: Backend) -> None:
        lease = await backend.leases.acquire("lock", "alice", MINUTE)
        assert lease is not None
        assert await backend.leases.release(lease)
        assert not await backend.leases.release(lease)
        assert await backend.leases.renew(lease, MINUTE) is None
        assert await backend.leases.find("lock") is None

    async def test_only_the_owner_may_renew_or_release(self, backend: Backend) -> None:
        lease = await backend.leases.acquire("lock", "alice", MINUTE)
        assert lease is not None
        forged = replace(lease, owner="mallory")
        assert await backend.leases.renew(forged, MINUTE) is None
        assert not await backend.leases.release(forged)
        assert await backend.leases.find("lock") == lease

    async def test_of_many_at_once_exactly_one_gets_it(self, backend: Backend, harness: StoreHarness) -> None:
        handles = [await harness.open() for _ in range(4)]
        tries = [handles[n % 4].leases.acquire("lock", f"owner-{n}", MINUTE) for n in range(20)]
        got = [lease for lease in await asyncio.gather(*tries) if lease]
        for handle in handles:
            await handle.close()
        assert len(got) == 1
