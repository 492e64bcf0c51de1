"""The cache in Redis also stands on a cluster and behind sentinels, as the jobs do."""

from datetime import timedelta

from dibs.outside.cache.records import CachePrune
from dibs.outside.cache.redis.store import RedisCache
from dibs.testing.servers import ValkeyCluster, ValkeySentinel
from tests.outside.cache.conftest import CAP, HOUR, page, slot


async def check_cache(url: str) -> None:
    store = RedisCache(url, max_bytes=CAP)
    assert await store.claim(slot(), "me", timedelta(seconds=5))
    await store.put(slot(), page(), HOUR)
    found = await store.find(slot())
    assert found is not None
    assert found.page == page()
    assert await store.prune(CachePrune(expired_only=False)) == 1
    await store.release(slot(), "me")
    await store.close()


async def test_the_cache_stands_on_a_cluster():
    with ValkeyCluster() as cluster:
        await check_cache("redis+cluster://" + ",".join(f"{node.host}:{node.port}" for node in cluster.nodes))


async def test_the_cache_stands_behind_a_sentinel():
    with ValkeySentinel() as servers:
        sentinel = servers.url.removeprefix("redis://")
        await check_cache(f"redis+sentinel://127.0.0.1:1,{sentinel}/{servers.primary_name}/0?connect_timeout=1")
