"""One server of several: a Cluster, and a primary that Sentinel replaces."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

import dibs
from dibs.engine.store.reading import JobFilter
from dibs.errors import StoreUnavailable
from dibs.testing import BackendSuite
from dibs.testing.servers import ValkeyCluster, ValkeySentinel
from dibs.testing.servers.process import wait_until
from dibs.testing.stores.redis import RedisStore


@pytest.fixture(scope="module")
def cluster() -> Iterator[ValkeyCluster]:
    with ValkeyCluster() as cluster:
        yield cluster


def cluster_url(cluster: ValkeyCluster) -> str:
    return "redis+cluster://" + ",".join(f"{node.host}:{node.port}" for node in cluster.nodes)


class TestCluster(BackendSuite):
    """The whole suite on three nodes; each test's namespace falls on one of them."""

    @pytest_asyncio.fixture
    async def harness(self, cluster: ValkeyCluster) -> AsyncIterator[RedisStore]:
        store = RedisStore(cluster_url(cluster))
        yield store
        await store.close()


@pytest.mark.parametrize("namespace", ["a", "b", "c", "d"])
async def test_every_key_of_a_namespace_is_on_one_node(cluster, namespace):
    store = RedisStore(cluster_url(cluster), namespace=namespace)
    async with await store.open() as backend:
        await backend.store_jobs([dibs.Job(id=f"{namespace}-{n}", job_type=f"t{n}", queue=f"q{n}") for n in range(20)])
        claimed = await backend.claim_pending_jobs(20)
        await backend.complete_jobs([backend.completion(job.lease) for job in claimed])
        counts = [
            int(node.ask("EVAL", "return #redis.call('KEYS', ARGV[1])", "0", f"{{{namespace}}}:*"))
            for node in cluster.nodes
        ]
        assert sorted(counts)[:2] == [0, 0]
        assert sorted(counts)[2] > 20
    await store.close()


async def test_a_handle_follows_a_slot_that_moves_to_another_node(cluster):
    store = RedisStore(cluster_url(cluster), namespace="wanderer")
    async with await store.open() as backend:
        slot = int(cluster.nodes[0].ask("CLUSTER", "KEYSLOT", "{wanderer}"))
        owner = next(node for node in cluster.nodes if _owns(node, slot))
        target = next(node for node in cluster.nodes if node is not owner)
        await store.reset()
        await _empty(store)
        target_id = target.ask("CLUSTER", "MYID")
        for node in cluster.nodes:
            node.ask("CLUSTER", "SETSLOT", str(slot), "NODE", target_id)
        await backend.schema.migrate()
        await backend.store_job(dibs.Job(id="moved", job_type="test"))
        claimed = await backend.claim_pending_job()
        assert claimed is not None
        assert claimed.id == "moved"
        assert int(target.ask("EVAL", "return #redis.call('KEYS', ARGV[1])", "0", "{wanderer}:*")) > 0
    await store.close()


async def _empty(store: RedisStore) -> None:
    tag = store.lines.address.tag
    await store.lines.ask("DEL", f"{tag}:schema", f"{tag}:layout")


def _owns(node, slot: int) -> bool:
    mine = next(line for line in node.ask("CLUSTER", "NODES").splitlines() if "myself" in line)
    ranges = [part.split("-") for part in mine.split()[8:] if not part.startswith("[")]
    return any(int(part[0]) <= slot <= int(part[-1]) for part in ranges)


async def test_the_same_handle_goes_on_after_a_failover():
    with ValkeySentinel() as servers:
        sentinel = servers.url.removeprefix("redis://")
        url = f"redis+sentinel://127.0.0.1:1,{sentinel}/{servers.primary_name}/0?connect_timeout=1"
        async with await dibs.open_backend(url) as backend:
            await backend.store_jobs([dibs.Job(id=f"job-{n}", job_type="test") for n in range(50)])
            held = await backend.claim_pending_jobs(10)
            await _replica_in_step(servers)
            await asyncio.to_thread(servers.primary.kill)
            counts = await _try_until_it_works(lambda: backend.reader.count_jobs(JobFilter()))
            assert (counts["pending"], counts["running"]) == (40, 10)
            # A replica answers reads before it is promoted; writes follow.
            moved = await _try_until_it_works(
                lambda: backend.complete_jobs([backend.completion(job.lease) for job in held])
            )
            assert moved == [True] * 10
            assert len(await backend.claim_pending_jobs(50)) == 40


async def _replica_in_step(servers: ValkeySentinel) -> None:
    assert servers.replica is not None
    replica = servers.replica
    await asyncio.to_thread(wait_until, lambda: replica.ask("DBSIZE") == servers.primary.ask("DBSIZE"), "it caught up")


async def _try_until_it_works(action):
    async with asyncio.timeout(60):
        while True:
            try:
                return await action()
            except StoreUnavailable:
                await asyncio.sleep(0.1)


async def test_a_service_that_no_sentinel_knows_is_said_clearly():
    with ValkeySentinel() as servers:
        url = f"redis+sentinel://{servers.url.removeprefix('redis://')}/nobody"
        with pytest.raises(StoreUnavailable, match="nobody"):
            await dibs.open_backend(url)
