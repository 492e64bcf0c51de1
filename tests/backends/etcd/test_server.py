"""A real etcd: its users, its certificates, its seconds, and what is left behind in it."""

import asyncio
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import dibs
from dibs.backends.etcd import wire
from dibs.backends.etcd.address import parse_address
from dibs.backends.etcd.gateway import Gateway
from dibs.backends.etcd.leases import EtcdLeases
from dibs.backends.etcd.wire import Committed, Found, Granted, Question
from dibs.errors import OutcomeUnknown, StoreAccessDenied, StoreUnavailable
from dibs.testing.servers import EtcdServer
from dibs.testing.stores.etcd import EtcdLeaseStore
from tests.backends.etcd.proxy import LosingProxy
from tests.docs.pages import DOCS, MAIN, lay_out, make_environment

pytestmark = pytest.mark.system
TTL = timedelta(seconds=30)
EVERYTHING = {"key": b"\x00", "range_end": b"\x00"}


@pytest.fixture
def server() -> Iterator[EtcdServer]:
    """One that nobody else uses."""
    with EtcdServer() as server:
        yield server


@asynccontextmanager
async def on(url: str) -> AsyncIterator[EtcdLeases]:
    gateway = Gateway(parse_address(url))
    try:
        yield EtcdLeases(gateway)
    finally:
        await gateway.close()


async def tell(url: str, path: str, question: Question) -> Question:
    """Do something to etcd as its operator would."""
    gateway = Gateway(parse_address(url))
    try:
        return (await gateway.ask(path, question)).read(dict)
    finally:
        await gateway.close()


async def test_a_released_lease_leaves_neither_keys_nor_etcd_leases_behind(server: EtcdServer) -> None:
    async with on(server.url) as leases:
        lease = await leases.acquire("lock", "ann", TTL)
        assert lease is not None
        lease = await leases.renew(lease, TTL)
        assert lease is not None
        assert len((await tell(server.url, "lease/leases", {}))["leases"]) == 1
        assert await leases.release(lease)
    assert "leases" not in await tell(server.url, "lease/leases", {})
    assert "kvs" not in await tell(server.url, "kv/range", EVERYTHING)


async def test_numbers_grow_over_deletion_and_compaction(server: EtcdServer) -> None:
    tokens = []
    async with on(server.url) as leases:
        for _ in range(3):
            lease = await leases.acquire("lock", "ann", TTL)
            assert lease is not None
            tokens.append(lease.token)
            await tell(server.url, "kv/deleterange", EVERYTHING)
            header = (await tell(server.url, "kv/range", EVERYTHING))["header"]
            await tell(server.url, "kv/compaction", {"revision": header["revision"], "physical": True})
            await tell(server.url, "maintenance/defragment", {})
            server.restart()
            assert await leases.renew(lease, TTL) is None
    assert tokens == sorted(set(tokens))


async def test_it_lasts_as_long_as_it_says_and_a_few_seconds_more(store: EtcdLeaseStore) -> None:
    async with on(store.url) as leases:
        began = time.monotonic()
        lease = await leases.acquire("lock", "ann", timedelta(seconds=1.5))
        assert lease is not None
        while await leases.find("lock"):
            await asyncio.sleep(0.02)
        lasted = time.monotonic() - began
        assert 1.5 <= lasted < 8
        # The clock of this machine is etcd's here: the end that was told had come.
        assert lease.expires_at.timestamp() <= time.time()
        renewed = await leases.renew(lease, TTL)
        assert renewed is not None
        assert renewed.token == lease.token
        assert await leases.acquire("lock", "ben", TTL) is None


async def test_a_write_under_an_etcd_lease_that_has_ended_changes_nothing(store: EtcdLeaseStore) -> None:
    granted = (await store.gateway.ask("lease/grant", {"TTL": "60"})).read(Granted)
    await store.gateway.ask("lease/revoke", {"ID": str(granted.id)})
    late = wire.transaction(
        [wire.is_at(b"/late", 0)], [wire.put(b"/late", b"1"), wire.put(b"/bound", b"1", granted.id)]
    )
    with pytest.raises(StoreUnavailable, match="Nothing was written"):
        await store.gateway.ask("kv/txn", late)
    assert (await store.gateway.ask("kv/range", {"key": b"/late"})).read(Found).kvs == []


async def test_a_renewal_that_comes_late_does_not_undo_a_later_one(store: EtcdLeaseStore) -> None:
    async with on(store.url) as leases:
        lease = await leases.acquire("lock", "ann", TTL)
        assert lease is not None
        seat = await leases._look("lock")
        late = await leases._grant(TTL)
        renewed = await leases.renew(lease, 2 * TTL)
        assert renewed is not None
        answer = await leases._rebind(seat, lease, late)
        assert answer.succeeded is False
        assert await leases.find("lock") == renewed


async def test_renewals_of_one_owner_at_the_same_time_all_hold(store: EtcdLeaseStore) -> None:
    async with on(store.url) as leases:
        lease = await leases.acquire("lock", "ann", TTL)
        assert lease is not None
        renewed = await asyncio.gather(*(leases.renew(lease, TTL) for _ in range(8)))
        assert {one.token for one in renewed if one} == {lease.token}
        assert None not in renewed


async def test_an_answer_that_got_lost_is_found_out_from_another_member(server: EtcdServer) -> None:
    async with LosingProxy(server.port) as proxy, on(f"etcd://{proxy.host},{server.address}") as leases:
        proxy.is_losing = True
        lease = await leases.acquire("lock", "ann", TTL)
        assert lease is not None
        assert proxy.lost == 1
        assert await leases.find("lock") == lease
        assert await leases.renew(lease, TTL) is not None
    async with LosingProxy(server.port) as proxy, on(f"etcd://{proxy.host},{server.address}") as leases:
        proxy.is_losing = True
        renewed = await leases.renew(lease, 2 * TTL)
        assert proxy.lost == 1
        assert renewed is not None
        assert await leases.find("lock") == renewed


async def test_a_release_whose_answer_got_lost_is_unknown_and_can_be_looked_up(server: EtcdServer) -> None:
    async with LosingProxy(server.port) as proxy, on(f"etcd://{proxy.host},{server.address}") as leases:
        lease = await leases.acquire("lock", "ann", TTL)
        assert lease is not None
        proxy.is_losing = True
        with pytest.raises(OutcomeUnknown, match="look before trying again"):
            await leases.release(lease)
        assert await leases.find("lock") is None


async def enable_users(url: str) -> None:
    """A root, as etcd demands, and Ann, who may do everything below /mine."""
    permission = {"permType": "READWRITE", "key": b"/mine/", "range_end": b"/mine0"}
    steps: list[tuple[str, Question]] = [
        ("auth/user/add", {"name": "root", "password": "r00t"}),
        ("auth/role/add", {"name": "root"}),
        ("auth/user/grant", {"user": "root", "role": "root"}),
        ("auth/user/add", {"name": "ann", "password": "s3cret"}),
        ("auth/role/add", {"name": "locks"}),
        ("auth/role/grant", {"name": "locks", "perm": permission}),
        ("auth/user/grant", {"user": "ann", "role": "locks"}),
        ("auth/enable", {}),
    ]
    for path, question in steps:
        await tell(url, path, question)


async def test_users_passwords_and_rights(server: EtcdServer) -> None:
    async with on(f"etcd://ann:s3cret@{server.address}/mine") as early:
        with pytest.raises(StoreAccessDenied, match="has no users"):
            await early.find("lock")
    await enable_users(server.url)
    async with on(f"etcd://ann:s3cret@{server.address}/mine") as leases:
        lease = await leases.acquire("lock", "ann", TTL)
        assert lease is not None
        # Tokens do not outlive the server.
        server.restart()
        lease = await leases.renew(lease, TTL)
        assert lease is not None
        assert await leases.release(lease)
    for url, hint in {
        f"etcd://{server.address}/mine": "wants a user",
        f"etcd://ann:wrong@{server.address}/mine": "refused the user name or password",
        f"etcd://ann:s3cret@{server.address}/yours": "readwrite on the prefix",
    }.items():
        async with on(url) as leases:
            with pytest.raises(StoreAccessDenied, match=hint):
                await leases.acquire("lock", "ann", TTL)


async def test_over_tls_only_a_trusted_certificate_will_do() -> None:
    with EtcdServer(tls=True) as server:
        async with on(server.url) as leases:
            lease = await leases.acquire("lock", "ann", TTL)
            assert lease is not None
            assert await leases.release(lease)
        async with on(f"etcds://{server.address}") as leases:
            with pytest.raises(StoreUnavailable, match=r"CERTIFICATE_VERIFY_FAILED.*certificates in the URL"):
                await leases.find("lock")
        async with on(f"etcd://{server.address}") as leases:
            with pytest.raises(StoreUnavailable, match="etcds:// if they want TLS"):
                await leases.find("lock")


async def test_an_etcd_without_space_says_so_and_goes_on_afterwards(server: EtcdServer) -> None:
    member = (await tell(server.url, "cluster/member/list", {}))["members"][0]["ID"]
    alarm = {"memberID": member, "alarm": "NOSPACE"}
    await tell(server.url, "maintenance/alarm", {"action": "ACTIVATE", **alarm})
    async with on(server.url) as leases:
        with pytest.raises(StoreUnavailable, match="alarm disarm") as caught:
            await leases.acquire("lock", "ann", TTL)
        assert not isinstance(caught.value, OutcomeUnknown)
        await tell(server.url, "maintenance/alarm", {"action": "DEACTIVATE", **alarm})
        assert await leases.acquire("lock", "ann", TTL) is not None


async def test_an_app_keeps_its_jobs_where_they_are_and_its_leases_on_etcd(store: EtcdLeaseStore) -> None:
    settings = dibs.Settings(leases_url=store.url)
    async with (
        await dibs.open_backend("memory://", settings=settings) as one,
        await dibs.open_backend("memory://", settings=settings) as other,
    ):
        assert await one.store_job(dibs.Job(id="job", job_type="t")) is not None
        assert await other.find_job("job") is None
        assert await one.leases.acquire("lock", "ann", TTL) is not None
        assert await other.leases.acquire("lock", "ben", TTL) is None
    keys = (await store.gateway.ask("kv/range", store._range(""))).read(Found).kvs
    assert {key.key.decode().removeprefix(urlsplit(store.url).path) for key in keys} == {"/owner/lock", "/held/lock"}


def test_the_page_on_leases_runs_on_etcd_as_it_does_without(store: EtcdLeaseStore, tmp_path: Path) -> None:
    lay_out(DOCS / "how-to" / "keep-leases-on-etcd.md", tmp_path)
    environment = {**make_environment(), "DIBS_LEASES_URL": store.url}
    command = [sys.executable, "-W", "error", MAIN]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    first, second = re.findall(r"as number (\d+)", done.stdout)
    # A store of its own would begin with 1 and go on with 3.
    assert int(second) > int(first) > 1


async def test_a_transaction_that_compares_in_vain_tells_what_is_there(store: EtcdLeaseStore) -> None:
    async with on(store.url) as leases:
        lease = await leases.acquire("lock", "ann", TTL)
        assert lease is not None
        question = wire.transaction([wire.is_at(b"/nothing", 1)], [], leases._both("lock"))
        answer = (await store.gateway.ask("kv/txn", question)).read(Committed)
        owner, held = answer.read_keys()
        assert (answer.succeeded, owner.value, owner.mod_revision) == (False, b"ann", lease.token)
        assert held.lease > 0
