"""Owners in processes of their own, and an etcd that loses members meanwhile."""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest

from dibs.backends.etcd import open_leases
from dibs.errors import StoreUnavailable
from dibs.testing.servers import EtcdCluster, EtcdServer
from dibs.testing.stores.etcd import EtcdLeaseStore
from tests.backends.etcd.rival import NAME, TTL, take

pytestmark = pytest.mark.system
PIPE = asyncio.subprocess.PIPE
PATIENCE = 120.0


@asynccontextmanager
async def rival(*words: object) -> AsyncIterator[asyncio.subprocess.Process]:
    command = (sys.executable, "-m", "tests.backends.etcd.rival", *map(str, words))
    process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
    try:
        async with asyncio.timeout(PATIENCE):
            yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def hear(process: asyncio.subprocess.Process) -> dict[str, Any]:
    assert process.stdout is not None
    told: dict[str, Any] = json.loads(await process.stdout.readline())
    return told


async def hear_all(process: asyncio.subprocess.Process) -> list[dict[str, Any]]:
    out, _ = await process.communicate()
    assert process.returncode == 0
    return [json.loads(line) for line in out.splitlines()]


def see_one_holder_at_a_time(told: list[dict[str, Any]]) -> None:
    """In the order of time no two overlap, and the numbers grow."""
    held = sorted((one for one in told if "token" in one), key=lambda one: one["began"])
    for earlier, later in pairwise(held):
        assert earlier["ended"] <= later["began"], (earlier, later)
        assert earlier["token"] < later["token"], (earlier, later)


async def test_of_owners_that_race_only_one_holds_it_and_numbers_grow(store: EtcdLeaseStore) -> None:
    rounds = 60
    async with rival(store.url, "ann", "race", rounds) as ann, rival(store.url, "ben", "race", rounds) as ben:
        told = [*await hear_all(ann), *await hear_all(ben)]
    assert len(told) == 2 * rounds
    see_one_holder_at_a_time(told)


async def test_owners_race_on_while_the_leader_is_killed_and_comes_back() -> None:
    rounds = 60
    with EtcdCluster() as cluster:
        async with (
            rival(cluster.url, "ann", "race", rounds) as ann,
            rival(cluster.url, "ben", "race", rounds) as ben,
        ):
            first = [await hear(ann), await hear(ben)]
            leader = cluster.find_leader()
            leader.kill()
            assert cluster.find_leader() is not leader
            await asyncio.to_thread(leader.start)
            told = [*first, *await hear_all(ann), *await hear_all(ben)]
    assert sum("token" in one for one in told) == 2 * rounds
    see_one_holder_at_a_time(told)


async def test_an_owner_that_was_stopped_past_its_end_is_refused_afterwards(store: EtcdLeaseStore) -> None:
    async with rival(store.url, "ann", "doze", 1) as ann:
        told = await hear(ann)
        ann.send_signal(signal.SIGSTOP)
        parts = await open_leases(store.url)
        taken = await take(parts.leases, "ben")
        assert taken.token > told["token"]
        ann.send_signal(signal.SIGCONT)
        assert ann.stdin is not None
        ann.stdin.write(b"go on\n")
        assert await hear(ann) == {"renewed": False, "released": False}
        assert await parts.leases.find(NAME) == taken
        await parts.close()
        await ann.wait()


async def test_a_holder_outlives_the_leader_and_numbers_go_on_growing() -> None:
    with EtcdCluster() as cluster:
        leader = cluster.find_leader()
        # The leader first, so that it is the member that answers when it dies.
        others = [one for one in cluster.members if one is not leader]
        parts = await open_leases(f"etcd://{','.join(one.address for one in (leader, *others))}")
        leases = parts.leases
        lease = await leases.acquire(NAME, "ann", TTL)
        assert lease is not None
        leader.kill()
        assert await leases.acquire(NAME, "ben", TTL) is None
        renewed = await leases.renew(lease, TTL)
        assert renewed is not None
        assert renewed.token == lease.token
        assert await leases.release(renewed)
        following = await leases.acquire(NAME, "ben", TTL)
        assert following is not None
        assert following.token > lease.token
        await parts.close()


async def test_without_a_majority_nobody_gets_anything() -> None:
    with EtcdCluster() as cluster:
        parts = await open_leases(f"{cluster.url}?timeout=1")
        for member in cluster.members[1:]:
            member.kill()
        with pytest.raises(StoreUnavailable):
            await parts.leases.acquire(NAME, "ann", TTL)
        await asyncio.gather(*(asyncio.to_thread(member.start) for member in cluster.members[1:]))
        assert await parts.leases.acquire(NAME, "ann", TTL) is not None
        await parts.close()


async def test_a_killed_etcd_comes_back_with_its_leases_and_its_numbers() -> None:
    with EtcdServer() as server:
        parts = await open_leases(server.url)
        leases = parts.leases
        lease = await leases.acquire(NAME, "ann", TTL)
        assert lease is not None
        server.kill()
        with pytest.raises(StoreUnavailable, match="could be asked"):
            await leases.find(NAME)
        server.start()
        assert await leases.find(NAME) == lease
        assert await leases.acquire(NAME, "ben", TTL) is None
        assert await leases.release(lease)
        following = await leases.acquire(NAME, "ben", TTL)
        assert following is not None
        assert following.token > lease.token
        await parts.close()


async def test_a_renewed_lease_does_not_end_with_the_etcd_lease_it_had_before() -> None:
    with EtcdServer() as server:
        parts = await open_leases(server.url)
        lease = await parts.leases.acquire(NAME, "ann", timedelta(seconds=1))
        assert lease is not None
        assert await parts.leases.renew(lease, TTL) is not None
        server.kill()
        server.start()
        witness = await parts.leases.acquire("witness", "ann", timedelta(seconds=1))
        assert witness is not None
        while await parts.leases.find("witness"):
            await asyncio.sleep(0.05)
        found = await parts.leases.find(NAME)
        assert found is not None
        assert found.token == lease.token
        await parts.close()
