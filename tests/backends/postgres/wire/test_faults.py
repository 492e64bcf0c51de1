"""What a handle does when the server is away, refuses it, or cuts it off."""

import asyncio
import contextlib
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import pytest

import dibs
from dibs.backends.postgres import open_parts
from dibs.testing.servers import PostgresServer
from dibs.testing.stores.postgres import PostgresStore

WAYS_DOWN: dict[str, Callable[[PostgresServer], None]] = {
    "fast": lambda server: server.stop("fast"),
    "immediate": lambda server: server.stop("immediate"),
}


async def until_it_works(work: Callable[[], Any]) -> Any:
    """Try until the store is back; only the errors of an absent store are allowed."""
    async with asyncio.timeout(60):
        while True:
            try:
                return await work()
            except dibs.StoreUnavailable:
                await asyncio.sleep(0.05)


async def until(look: Callable[[], Any]) -> None:
    """Look until there is something to see."""
    async with asyncio.timeout(60):
        while not await look():
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("way", WAYS_DOWN)
async def test_the_same_handle_goes_on_after_a_restart(server: PostgresServer, way: str) -> None:
    async with await dibs.open_backend(server.url) as backend:
        await backend.store_jobs([dibs.Job(id=f"job-{number}", job_type="t") for number in range(5)])
        held = await backend.claim_pending_job()
        assert held is not None
        await asyncio.to_thread(WAYS_DOWN[way], server)
        with pytest.raises(dibs.StoreUnavailable, match=r"127\.0\.0\.1"):
            await backend.store_job(dibs.Job(job_type="t"))
        with pytest.raises(dibs.StoreUnavailable, match=r"127\.0\.0\.1"):
            await backend.find_job("job-1")
        await asyncio.to_thread(server.start)
        jobs = await until_it_works(lambda: backend.claim_pending_jobs(10))
        assert [job.id for job in jobs] == [f"job-{number}" for number in range(1, 5)]
        await backend.complete_job(held.lease)


async def test_what_was_acknowledged_around_a_kill_is_there_afterwards(server: PostgresServer) -> None:
    async with await dibs.open_backend(server.url) as backend:
        stored = ["early"]
        await backend.store_job(dibs.Job(id="early", job_type="t"))
        await asyncio.to_thread(server.kill)
        # A session may outlive its postmaster for a moment, and then its answer counts.
        with contextlib.suppress(dibs.StoreUnavailable):
            await backend.store_job(dibs.Job(id="late", job_type="t"))
            stored.append("late")
        await asyncio.to_thread(server.start)
        jobs = await until_it_works(lambda: backend.claim_pending_jobs(10))
        assert {*stored} <= {job.id for job in jobs}
        assert all(await backend.complete_jobs([backend.completion(job.lease) for job in jobs]))


async def test_a_listener_comes_back_by_itself(server: PostgresServer) -> None:
    async with (
        await dibs.open_backend(server.url) as backend,
        backend.notices.subscribe(["q"]) as subscription,
    ):
        await asyncio.to_thread(server.restart)
        assert await subscription.wait(timedelta(seconds=20)), "it is told to look once the listener is back"
        await until_it_works(lambda: backend.store_job(dibs.Job(job_type="t", queue="q")))
        assert await subscription.wait(timedelta(seconds=20))


async def test_connections_terminated_while_idle_are_replaced_unseen(
    backend: dibs.Backend, store: PostgresStore
) -> None:
    for number in range(10):
        await backend.store_job(dibs.Job(id=f"job-{number}", job_type="t"))
        await store.cut()
        await until_it_works(lambda: backend.find_job("job-0"))
    assert (await backend.reader.count_jobs(dibs.JobFilter()))[dibs.State.PENDING] == 10


async def test_a_worker_survives_the_steady_cutting_of_its_connections(
    backend: dibs.Backend, store: PostgresStore
) -> None:
    await backend.store_jobs([dibs.Job(id=f"job-{number:03}", job_type="t") for number in range(100)])
    done = asyncio.Event()

    async def cut() -> None:
        while not done.is_set():
            began = time.monotonic()
            await store.cut()
            # Ten times as often as the harshest chaos run we know of; on a busy machine, where no call would ever come
            # to its end in that time, less often.
            await asyncio.sleep(0.05 + 3 * (time.monotonic() - began))

    cutting = asyncio.create_task(cut())
    completed = 0
    async with asyncio.timeout(60):
        while (await until_it_works(lambda: backend.reader.count_jobs(dibs.JobFilter())))[dibs.State.PENDING]:
            for job in await until_it_works(lambda: backend.claim_pending_jobs(5)):
                completed += await until_it_works(partial(complete, backend, job.lease))
    done.set()
    await cutting
    await store.advance(timedelta(seconds=301))
    lost = await backend.reap_jobs()
    counts = await backend.reader.count_jobs(dibs.JobFilter())
    assert counts[dibs.State.SUCCEEDED] + len(lost) == 100
    assert counts[dibs.State.SUCCEEDED] >= completed


async def complete(backend: dibs.Backend, lease: dibs.Lease) -> bool:
    return (await backend.complete_jobs([backend.completion(lease)]))[0]


@asynccontextmanager
async def proxy(target: str) -> AsyncIterator[tuple[str, Any]]:
    """A way to the server that can be made to swallow its answers, and be cut."""
    server = urlsplit(target)
    host, port = server.hostname, server.port
    silent = asyncio.Event()
    writers: list[asyncio.StreamWriter] = []

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_answer: bool) -> None:
        while data := await reader.read(65536):
            if not (is_answer and silent.is_set()):
                writer.write(data)
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up_reader, up_writer = await asyncio.open_connection(host, port)
        writers.extend([writer, up_writer])
        await asyncio.gather(
            pump(reader, up_writer, is_answer=False), pump(up_reader, writer, is_answer=True), return_exceptions=True
        )

    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    own_port = listener.sockets[0].getsockname()[1]

    def cut() -> None:
        for writer in writers:
            writer.transport.abort()

    try:
        yield target.replace(f":{port}", f":{own_port}"), (silent, cut)
    finally:
        cut()
        listener.close()


async def test_a_write_whose_answer_is_lost_has_an_unknown_outcome(postgres_url: str, backend: dibs.Backend) -> None:
    async with proxy(postgres_url) as (url, (silent, cut)), await dibs.open_backend(url) as far:
        await far.store_job(dibs.Job(id="first", job_type="t"))
        silent.set()
        sent = asyncio.create_task(far.store_job(dibs.Job(id="second", job_type="t")))
        await until(lambda: backend.find_job("second"))
        cut()
        with pytest.raises(dibs.OutcomeUnknown, match="look before trying again"):
            await sent
        silent.clear()
        with pytest.raises(dibs.DuplicateJob):
            await until_it_works(lambda: far.store_job(dibs.Job(id="second", job_type="t")))


async def test_a_server_that_never_answers_is_given_up(postgres_url: str, store: PostgresStore) -> None:
    async with proxy(postgres_url) as (url, (silent, _)), await dibs.open_backend(f"{url}?command_timeout=0.3") as far:
        silent.set()
        with pytest.raises(dibs.OutcomeUnknown, match="no answer in time"):
            await far.store_job(dibs.Job(job_type="t"))


async def test_nobody_listening_is_told(store: PostgresStore) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.raises(dibs.StoreUnavailable, match=f"127.0.0.1:{port}.*Check that it runs"):
        await dibs.open_backend(f"postgresql://postgres:secret-word@127.0.0.1:{port}/db")


async def test_an_unknown_host_is_told() -> None:
    with pytest.raises(dibs.StoreUnavailable, match=r"no-such-host\.invalid") as caught:
        await dibs.open_backend("postgresql://postgres:secret-word@no-such-host.invalid/db")
    assert "secret-word" not in str(caught.value)


async def test_a_missing_database_is_told(postgres_url: str) -> None:
    with pytest.raises(dibs.StoreUnavailable, match="createdb"):
        await dibs.open_backend(f"{postgres_url.rpartition('/')[0]}/no_such_database")


async def test_a_wrong_password_is_told_without_repeating_it(server: PostgresServer) -> None:
    rules = server.data / "pg_hba.conf"
    async with await dibs.open_backend(server.url):
        pass
    rules.write_text("host all all 127.0.0.1/32 scram-sha-256\n")
    server.restart()
    with pytest.raises(dibs.StoreAccessDenied, match="password") as caught:
        await dibs.open_backend(server.url.replace("postgres@", "postgres:secret-word@"))
    assert "secret-word" not in str(caught.value)


async def test_a_missing_right_is_told(postgres_url: str, store: PostgresStore, sql: Any) -> None:
    await sql.execute("DROP ROLE IF EXISTS nobody_special; CREATE ROLE nobody_special LOGIN")
    try:
        with pytest.raises(dibs.StoreAccessDenied, match="Grant"):
            await dibs.open_backend(postgres_url.replace("postgres@", "nobody_special@"))
    finally:
        await sql.execute("DROP ROLE nobody_special")


async def test_a_standby_is_told(postgres_url: str, store: PostgresStore) -> None:
    async with await dibs.open_backend(f"{postgres_url}?default_transaction_read_only=on") as backend:
        with pytest.raises(dibs.StoreUnavailable, match="primary"):
            await backend.store_job(dibs.Job(job_type="t"))


async def test_a_value_that_postgres_cannot_hold_is_refused(postgres_url: str, store: PostgresStore) -> None:
    parts = await open_parts(postgres_url)
    with pytest.raises(dibs.BadInput, match="Nothing was changed"):
        await parts.leases.acquire("a name with \x00 in it", "owner", timedelta(seconds=1))
    await parts.close()


@pytest.mark.parametrize(
    ("option", "hint"),
    [
        ("pool_size=0", "pool_size"),
        ("pool_size=x", "pool_size"),
        ("pooler=odd", "transaction"),
        ("notices=maybe", "off"),
    ],
)
async def test_a_senseless_option_is_refused(option: str, hint: str) -> None:
    with pytest.raises(dibs.BadInput, match=hint):
        await dibs.open_backend(f"postgresql://127.0.0.1/db?{option}")


async def test_an_option_that_nobody_knows_is_not_taken_for_a_server_that_is_away(postgres_url: str) -> None:
    with pytest.raises(dibs.BadInput, match=r'"colour"\. Correct the options in the URL'):
        await dibs.open_backend(f"{postgres_url}?colour=blue")


async def test_silence_when_notices_are_off(postgres_url: str, store: PostgresStore) -> None:
    async with (
        await dibs.open_backend(f"{postgres_url}?notices=off") as quiet,
        await store.open() as listening,
        listening.notices.subscribe() as subscription,
    ):
        await quiet.store_job(dibs.Job(job_type="t"))
        assert not await subscription.wait(timedelta(milliseconds=80))
        async with quiet.notices.subscribe() as own:
            await quiet.notices.wake(["q"])
            assert await own.wait(timedelta(seconds=5))
