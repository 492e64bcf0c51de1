"""A handle belongs to the process and the event loop that opened it, and leaves nobody in the lurch when it closes."""

import asyncio
import subprocess
import sys
import threading
from datetime import timedelta
from typing import Any

import pytest

import dibs
from dibs.testing.stores.postgres import PostgresStore

FORKING = """
import asyncio, gc, os, sys, traceback
from datetime import timedelta
import dibs


async def expect_refusal(work):
    try:
        await work()
    except dibs.StoreError as error:
        assert "before a fork" in str(error), error
    else:
        raise AssertionError("a forked child used its parent's connection")


async def subscribe(backend):
    async with backend.notices.subscribe():
        pass


def be_a_child(backend):
    for work in (lambda: backend.find_job("a"), lambda: backend.claim_pending_job(), lambda: subscribe(backend)):
        asyncio.run(expect_refusal(work))
    asyncio.run(expect_refusal(backend.close))
    # What the child throws away must not be the parent's.
    backend.__dict__.clear()
    gc.collect()


async def go_on(backend):
    jobs = [await backend.claim_pending_job() for _ in range(3)]
    assert sorted(job.id for job in jobs) == ["a", "b", "c"]
    async with backend.notices.subscribe(["q"]) as subscription:
        await backend.store_job(dibs.Job(job_type="t", queue="q"))
        assert await subscription.wait(timedelta(seconds=5))
    await backend.close()


async def main():
    backend = await dibs.open_backend(sys.argv[1])
    await asyncio.gather(*(backend.store_job(dibs.Job(id=name, job_type="t")) for name in "abc"))
    child = os.fork()
    if child == 0:
        try:
            be_a_child(backend)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status == 0, status
    await asyncio.wait_for(go_on(backend), 60)


asyncio.run(main())
"""
OUTLIVING = """
import asyncio, sys
import dibs

backend = asyncio.run(dibs.open_backend(sys.argv[1]))
for work in (lambda: backend.find_job("a"), lambda: backend.store_job(dibs.Job(job_type="t")), lambda: backend.close()):
    try:
        asyncio.run(work())
    except dibs.StoreError as error:
        assert "another event loop. Open one for each loop" in str(error), error
    else:
        raise AssertionError("it was not refused")
"""


async def check_script(script: str, url: str) -> None:
    command = [sys.executable, "-c", script, url]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr


async def test_a_forked_child_is_refused_and_does_not_disturb_its_parent(
    postgres_url: str, store: PostgresStore
) -> None:
    await check_script(FORKING, postgres_url)


async def subscribe(backend: dibs.Backend) -> None:
    async with backend.notices.subscribe():
        pass


async def begin(backend: dibs.Backend) -> None:
    assert backend.transactions is not None
    async with backend.transactions.begin():
        pass


USES: dict[str, Any] = {
    "read": lambda backend: backend.find_job("a"),
    "write": lambda backend: backend.claim_pending_job(),
    "listen": subscribe,
    "transaction": begin,
    "close": lambda backend: backend.close(),
}


@pytest.mark.parametrize("use", USES)
async def test_another_event_loop_is_refused(backend: dibs.Backend, store: PostgresStore, use: str) -> None:
    await backend.store_job(dibs.Job(id="a", job_type="t"))
    far = await store.open()
    refused: list[str] = []

    def elsewhere() -> None:
        with pytest.raises(dibs.StoreError, match=r"another event loop\. Open one for each loop") as caught:
            asyncio.run(USES[use](far))
        refused.append(str(caught.value))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    await asyncio.to_thread(thread.join, 30)
    assert refused
    assert use == "close" or await far.find_job("a") is not None, "at home it still works"
    await far.close()


async def test_a_handle_whose_event_loop_has_ended_is_refused(postgres_url: str, store: PostgresStore) -> None:
    await check_script(OUTLIVING, postgres_url)


async def test_closing_waits_for_calls_that_have_begun(backend: dibs.Backend, store: PostgresStore) -> None:
    far = await store.open()
    calls = [asyncio.create_task(far.store_job(dibs.Job(id=f"job-{number}", job_type="t"))) for number in range(300)]
    # Each has begun; all but ten wait for a connection.
    await asyncio.sleep(0)
    await far.close()
    answers = await asyncio.gather(*calls, return_exceptions=True)
    assert [answer for answer in answers if isinstance(answer, BaseException)] == []
    assert (await backend.reader.count_jobs(dibs.JobFilter()))[dibs.State.PENDING] == 300


async def test_closing_waits_for_a_transaction_that_was_lent(backend: dibs.Backend, store: PostgresStore) -> None:
    far = await store.open()
    closing = None
    assert far.transactions is not None
    async with far.transactions.begin() as connection:
        await far.store_job(dibs.Job(id="a", job_type="t"), connection=connection)
        closing = asyncio.create_task(far.close())
        await asyncio.sleep(0)
        await connection.execute("SELECT 1")
    await closing
    assert await backend.find_job("a") is not None


async def test_closing_does_not_wait_for_ever(
    backend: dibs.Backend, store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dibs.backends.postgres.wire.connections._PATIENCE_SECONDS", 0.05)
    monkeypatch.setattr("dibs.backends.postgres.wire.connections._FAREWELL_SECONDS", 0.05)
    far = await store.open()
    await backend.store_job(dibs.Job(id="a", job_type="t"))
    async with store.transaction() as other:
        await other.execute("SELECT * FROM dibs.jobs WHERE id = 'a' FOR UPDATE")
        stuck = asyncio.create_task(far.cancel_job("a", actor="op", reason="test"))
        while not await other.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"):
            await asyncio.sleep(0.01)
        async with asyncio.timeout(60):
            await far.close()
        with pytest.raises(dibs.OutcomeUnknown):
            await stuck


async def test_what_begins_after_closing_is_refused(store: PostgresStore) -> None:
    far = await store.open()
    reader = far.reader
    await far.close()
    await far.close()
    with pytest.raises(dibs.StoreError, match="closed"):
        await reader.now()
    with pytest.raises(dibs.StoreError, match="closed"):
        await far.reap_jobs()


async def test_a_handle_that_was_refused_elsewhere_can_be_opened_there(postgres_url: str) -> None:
    def elsewhere() -> bool:
        async def use() -> bool:
            async with await dibs.open_backend(postgres_url) as backend, backend.notices.subscribe() as subscription:
                await backend.notices.wake(["q"])
                return await subscription.wait(timedelta(seconds=5))

        return asyncio.run(use())

    assert await asyncio.to_thread(elsewhere)
