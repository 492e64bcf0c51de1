"""What may go wrong between us and etcd, and what the caller is told."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest

from dibs.backends.etcd import open_leases
from dibs.engine.store.protocols import NamedLease, NamedLeases
from dibs.errors import OutcomeUnknown, StoreAccessDenied, StoreError, StoreUnavailable
from dibs.testing.servers.ports import find_free_port
from tests.backends.etcd.fake import EMPTY_LOOK, FakeMember, trouble

TTL = timedelta(seconds=30)
DONE = (200, {"header": {"revision": "8"}, "succeeded": True})
MINE = NamedLease(name="lock", owner="ann", token=4, expires_at=datetime(2030, 1, 1, tzinfo=UTC))
OWNER = {"kvs": [{"value": "YW5u", "mod_revision": "4"}]}
HELD = {"kvs": [{"value": "MQ==", "mod_revision": "4", "lease": "3"}]}
LOOK_AT_MINE = (200, {**EMPTY_LOOK, "responses": [{"response_range": OWNER}, {"response_range": HELD}]})


@asynccontextmanager
async def leases_on(*hosts: str, options: str = "", user: str = "") -> AsyncIterator[NamedLeases]:
    parts = await open_leases(f"etcd://{user}{','.join(hosts)}/test?{options}")
    try:
        yield parts.leases
    finally:
        await parts.close()


async def test_a_member_that_is_down_is_passed_over_and_not_asked_first_again() -> None:
    async with FakeMember(txn=DONE) as member, leases_on(f"127.0.0.1:{find_free_port()}", member.host) as leases:
        taken = await leases.acquire("lock", "ann", TTL)
        assert taken is not None
        assert taken.token == 8
        assert await leases.find("lock") is None
    assert member.asked == ["look", "grant", "txn", "look"]


async def test_when_no_member_can_be_reached_nothing_was_written_and_each_is_named() -> None:
    hosts = [f"127.0.0.1:{find_free_port()}" for _ in range(2)]
    async with leases_on(*hosts) as leases:
        with pytest.raises(StoreUnavailable, match="Check that most of its members run") as caught:
            await leases.acquire("lock", "ann", TTL)
    assert not isinstance(caught.value, OutcomeUnknown)
    assert all(host in str(caught.value) for host in hosts)


@pytest.mark.parametrize("words", ["etcdserver: no leader", "raft proposal dropped", "etcdserver: too many requests"])
async def test_a_member_that_cannot_take_a_write_is_passed_over(words: str) -> None:
    lost, found = FakeMember(txn=trouble(words, 14), look=LOOK_AT_MINE), FakeMember(txn=DONE)
    async with lost, found, leases_on(lost.host, found.host) as leases:
        assert await leases.release(MINE)


@pytest.mark.parametrize("silence", [None, trouble("etcdserver: request timed out", 14), trouble("closing", 13)])
async def test_a_write_that_may_have_happened_is_unknown_when_nobody_else_can_be_asked(silence: object) -> None:
    async with FakeMember(txn=silence) as member, leases_on(member.host) as leases:  # type: ignore[arg-type]
        with pytest.raises(OutcomeUnknown, match="may or may not have happened"):
            await leases.acquire("lock", "ann", TTL)


async def test_a_release_that_may_have_happened_is_never_sent_again() -> None:
    lost, other = FakeMember(look=LOOK_AT_MINE, txn=None), FakeMember(txn=DONE)
    async with lost, other, leases_on(lost.host, other.host) as leases:
        with pytest.raises(OutcomeUnknown):
            await leases.release(MINE)
    assert other.asked == []


async def test_an_acquisition_whose_answer_was_lost_is_known_by_its_etcd_lease() -> None:
    held = {"kvs": [{"value": "MQ==", "mod_revision": "9", "lease": "5"}]}
    owner = {"kvs": [{"value": "YW5u", "mod_revision": "9"}]}
    answer = (200, {"responses": [{"response_range": owner}, {"response_range": held}]})
    lost, other = FakeMember(txn=None), FakeMember(txn=answer)
    async with lost, other, leases_on(lost.host, other.host) as leases:
        taken = await leases.acquire("lock", "ann", TTL)
    assert taken is not None
    assert taken.token == 9
    assert "revoke" not in other.asked


async def test_a_read_is_asked_again_elsewhere() -> None:
    lost, other = FakeMember(look=None), FakeMember(look=LOOK_AT_MINE)
    async with lost, other, leases_on(lost.host, other.host) as leases:
        found = await leases.find("lock")
    assert found is not None
    assert (found.owner, found.token) == ("ann", 4)


async def test_a_silent_member_is_given_up_in_time() -> None:
    left = asyncio.Event()

    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()
        await writer.wait_closed()
        left.set()

    server = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
    host = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server, leases_on(host, options="timeout=0.2") as leases:
        with pytest.raises(StoreUnavailable, match="ReadTimeout"):
            await leases.find("lock")
        await left.wait()


@pytest.mark.parametrize(
    ("answer", "kind", "hint"),
    [
        (trouble("etcdserver: user name is empty", 3), StoreAccessDenied, "etcd://user:password@"),
        (trouble("etcdserver: permission denied", 7), StoreAccessDenied, "readwrite on the prefix"),
        (trouble("etcdserver: mvcc: database space exceeded", 8), StoreUnavailable, "alarm disarm"),
        (trouble("etcdserver: requested lease not found", 5), StoreUnavailable, "longer ttl"),
        (trouble("etcdserver: something new", 9), StoreError, "something new"),
        ((404, "404 page not found"), StoreError, "HTTP 404, 404 page not found.*3.4 or newer"),
        ((400, "Client sent an HTTP request to an HTTPS server."), StoreError, "etcds://"),
    ],
)
async def test_a_refusal_says_what_to_do(answer: tuple[int, object], kind: type[StoreError], hint: str) -> None:
    async with FakeMember(txn=answer) as member, leases_on(member.host) as leases:
        with pytest.raises(kind, match=hint) as caught:
            await leases.acquire("lock", "ann", TTL)
    assert not isinstance(caught.value, OutcomeUnknown)


async def test_a_wrong_password_is_told_without_showing_it() -> None:
    refusal = trouble("etcdserver: authentication failed, invalid user ID or password", 3)
    member = FakeMember(authenticate=refusal)
    async with member, leases_on(member.host, user="ann:s3cret@") as leases:
        with pytest.raises(StoreAccessDenied, match="Correct them in the URL") as caught:
            await leases.find("lock")
    assert "s3cret" not in str(caught.value)


async def test_a_token_that_became_old_is_renewed_once() -> None:
    answers = iter([(200, EMPTY_LOOK), trouble("etcdserver: invalid auth token", 16), (200, EMPTY_LOOK)])
    member = FakeMember(authenticate=(200, {"token": "t"}), look=lambda _: next(answers))
    async with member, leases_on(member.host, user="ann:s3cret@") as leases:
        assert await leases.find("lock") is None
        assert await leases.find("lock") is None
    assert member.asked == ["authenticate", "look", "look", "authenticate", "look"]


async def test_a_token_that_is_never_known_is_an_error() -> None:
    member = FakeMember(authenticate=(200, {"token": "t"}), look=trouble("etcdserver: invalid auth token", 16))
    async with member, leases_on(member.host, user="ann:s3cret@") as leases:
        with pytest.raises(StoreAccessDenied):
            await leases.find("lock")


async def test_a_sign_in_whose_answer_was_lost_leaves_no_doubt_about_the_write() -> None:
    signed_in = iter([(200, {"token": "t"}), None])
    stale = trouble("etcdserver: invalid auth token", 16)
    member = FakeMember(authenticate=lambda _: next(signed_in), look=LOOK_AT_MINE, txn=stale)
    async with member, leases_on(member.host, user="ann:s3cret@") as leases:
        with pytest.raises(StoreUnavailable) as caught:
            await leases.release(MINE)
    assert not isinstance(caught.value, OutcomeUnknown)


async def test_what_does_not_tell_the_time_is_refused() -> None:
    async with FakeMember() as member, leases_on(member.host) as leases:
        member.date = None
        with pytest.raises(StoreError, match="Date header"):
            await leases.find("lock")


async def test_only_a_members_clock_tells_the_end() -> None:
    async with FakeMember(txn=DONE) as member, leases_on(member.host) as leases:
        taken = await leases.acquire("lock", "ann", TTL)
    assert taken is not None
    # Its Date is cut to whole seconds: with one more, 30 seconds from now are not over.
    assert taken.expires_at == datetime(1994, 11, 6, 8, 49, 38, tzinfo=UTC) + TTL


async def test_an_etcd_lease_that_was_not_needed_is_given_back() -> None:
    other = (200, {"responses": [{"response_range": OWNER}, {"response_range": HELD}]})
    async with FakeMember(txn=other) as member, leases_on(member.host) as leases:
        assert await leases.acquire("lock", "ben", TTL) is None
    assert member.asked == ["look", "grant", "txn", "revoke"]


async def test_who_comes_too_late_costs_etcd_no_write() -> None:
    async with FakeMember(look=LOOK_AT_MINE) as member, leases_on(member.host) as leases:
        assert await leases.acquire("lock", "ben", TTL) is None
    assert member.asked == ["look"]


async def test_another_event_loop_is_refused_and_the_owner_is_not_disturbed() -> None:
    async with FakeMember() as member, leases_on(member.host) as leases:
        refused: list[BaseException] = []

        def use_elsewhere() -> None:
            try:
                asyncio.run(leases.find("lock"))
            except StoreError as error:
                refused.append(error)

        thread = threading.Thread(target=use_elsewhere)
        thread.start()
        await asyncio.to_thread(thread.join)
        assert "another event loop" in str(refused[0])
        assert await leases.find("lock") is None


async def test_a_child_after_a_fork_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    async with FakeMember() as member, leases_on(member.host) as leases:
        with monkeypatch.context() as patch:
            patch.setattr("dibs.backends.etcd.gateway.os.getpid", lambda: 1)
            with pytest.raises(StoreError, match="before a fork"):
                await leases.find("lock")
