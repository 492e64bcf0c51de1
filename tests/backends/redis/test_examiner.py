"""What the doctor finds in a Redis server."""

import pytest

from dibs.assembly import connect_backend
from dibs.backends.redis.examiner import (
    check_eviction,
    check_memory,
    check_persistence,
    check_replication,
    check_saving,
)
from dibs.engine.store.checkup import Severity
from dibs.testing.servers import ValkeyServer

OK, WARNING, PROBLEM = Severity.OK, Severity.WARNING, Severity.PROBLEM
TOPICS = ["persistence", "saving", "eviction", "memory", "replication", "limits"]


async def examine(url: str):
    async with await connect_backend(url) as backend:
        assert backend.examiner is not None
        return {finding.topic: finding for finding in await backend.examiner.examine()}


async def test_a_server_without_persistence_is_told(redis_url):
    found = await examine(redis_url)
    assert list(found) == TOPICS
    assert found["persistence"].severity is WARNING
    assert "CONFIG SET appendonly yes" in found["persistence"].advice


async def test_a_server_that_keeps_everything_is_well():
    with ValkeyServer(persistence="always") as server:
        found = await examine(server.url)
    assert {one.severity for one in found.values()} == {OK}, found
    assert "appendfsync always: nothing acknowledged is lost" in found["persistence"].message


async def test_a_replica_is_recognised():
    with ValkeyServer() as primary, ValkeyServer() as replica:
        replica.ask("REPLICAOF", primary.host, str(primary.port))
        found = await examine(replica.url)
    assert found["replication"].severity is PROBLEM
    assert "redis+sentinel://" in found["replication"].advice


async def test_a_server_that_may_not_be_asked_says_so():
    with ValkeyServer() as server:
        server.ask("ACL", "SETUSER", "worker", "on", ">secret", "~*", "&*", "+@all", "-info", "-config")
        url = server.url.replace("redis://", "redis://worker:secret@")
        found = await examine(url)
    assert list(found) == ["server"]
    assert "+info" in found["server"].advice


@pytest.mark.parametrize(
    ("facts", "syncing", "severity"),
    [
        ({"aof_enabled": "1"}, "always", OK),
        ({"aof_enabled": "1"}, "everysec", OK),
        ({"aof_enabled": "1"}, None, OK),
        ({"aof_enabled": "1"}, "no", WARNING),
        ({"aof_enabled": "0"}, "always", WARNING),
    ],
)
def test_persistence_is_judged_by_what_a_restart_would_lose(facts, syncing, severity):
    assert check_persistence(facts, syncing).severity is severity


@pytest.mark.parametrize(
    ("check", "facts", "severity"),
    [
        (check_saving, {"aof_last_write_status": "err"}, PROBLEM),
        (check_saving, {"rdb_last_bgsave_status": "ok"}, OK),
        (check_eviction, {"maxmemory_policy": "allkeys-lru"}, WARNING),
        (check_eviction, {"maxmemory_policy": "noeviction"}, OK),
        (check_memory, {"used_memory": "50", "maxmemory": "100"}, OK),
        (check_memory, {"used_memory": "85", "maxmemory": "100"}, WARNING),
        (check_memory, {"used_memory": "97", "maxmemory": "100"}, PROBLEM),
        (check_memory, {"used_memory": "97", "maxmemory": "0", "total_system_memory": "100"}, PROBLEM),
        (check_memory, {"used_memory": "97"}, OK),
        (check_replication, {"role": "slave"}, PROBLEM),
        (check_replication, {"role": "master"}, OK),
        (check_replication, {"role": "master", "slave0": "ip=a,port=1,state=online,offset=9,lag=1"}, OK),
        (check_replication, {"role": "master", "slave0": "ip=a,port=1,state=online,offset=9,lag=60"}, WARNING),
        (check_replication, {"role": "master", "slave0": "ip=a,port=1,state=wait_bgsave,offset=0,lag=0"}, WARNING),
    ],
)
def test_what_the_server_tells_is_judged(check, facts, severity):
    found = check(facts)
    assert found.severity is severity
    assert bool(found.advice) == (severity is not OK)
