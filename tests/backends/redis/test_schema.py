"""Installing and upgrading the layout, alone and in a crowd."""

import asyncio
import json
import sys

import pytest

import dibs
from dibs.backends.redis.schema import STEPS, WANTED, RedisSchema
from dibs.engine.store.reading import AuditEntry, AuditFilter, JobFilter, PageRequest
from dibs.errors import SchemaMismatch
from tests.backends.redis.version_1 import OldCode

MIGRATE = """
import asyncio, json, sys
from dibs.backends.redis import open_parts

async def main():
    parts = await open_parts(sys.argv[1])
    print(json.dumps(await parts.schema.migrate()))
    await parts.close()

asyncio.run(main())
"""


async def install_version_1(store) -> None:
    assert await store.lines.run("migrations/0001", [1, 1]) == 1


async def test_nothing_is_installed_before_the_first_migration(store):
    schema = RedisSchema(store.lines)
    assert (await schema.state()).found == 0
    assert await schema.migrate() == list(STEPS)
    assert (await schema.state()).found == WANTED
    assert await schema.migrate() == []


async def test_ten_processes_that_start_at_once_take_each_step_once(store):
    command = [sys.executable, "-c", MIGRATE, store.url]
    processes = [await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE) for _ in range(10)]
    outputs = [(await process.communicate())[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * 10
    assert sorted(version for output in outputs for version in json.loads(output)) == list(STEPS)


async def test_an_older_layout_is_refused_when_it_may_not_be_upgraded(store):
    await install_version_1(store)
    with pytest.raises(SchemaMismatch, match="migrate=True"):
        await dibs.open_backend(store.url, migrate=False)


async def test_a_newer_layout_that_still_fits_is_used(store):
    async with await store.open():
        await store.lines.ask("HSET", f"{store.lines.address.tag}:schema", "version", WANTED + 1)
    async with await store.open() as backend:
        await backend.store_job(dibs.Job(id="job", job_type="test"))
        assert [job.id for job in await backend.claim_pending_jobs(9)] == ["job"]


async def test_a_newer_layout_that_does_not_fit_is_refused_and_untouched(store):
    async with await store.open():
        key = f"{store.lines.address.tag}:schema"
        await store.lines.ask("HSET", key, "version", WANTED + 5, "oldest_code", WANTED + 5)
    with pytest.raises(SchemaMismatch, match="Upgrade Dibs"):
        await store.open()
    assert (await RedisSchema(store.lines).state()).found == WANTED + 5


class OldWorker:
    """Does everything that version 1 could do to jobs, and remembers how they ended."""

    def __init__(self, store) -> None:
        self.code = OldCode(store.lines)
        self.done: list[str] = []
        self.cancelled: list[str] = []
        self.failed: list[str] = []

    async def work(self, number: int) -> None:
        await self.code.store([f"old-{number}-{n}" for n in range(10)])
        held = await self.code.claim(15)
        assert await self.code.heartbeat(held) == [1] * len(held)
        await self._give_back(held[:2], held[2:3])
        await self._lose(held[3:4])
        await self._cancel(held[4:5])
        assert await self.code.complete(held[5:]) == [1] * len(held[5:])
        self.done += [job_id for job_id, _ in held[5:]]

    async def _give_back(self, failing, snoozing) -> None:
        answers = await self.code.fail(failing)
        self.failed += [held[0] for held, state in zip(failing, answers, strict=True) if state == b"failed"]
        assert await self.code.snooze(snoozing) == [1] * len(snoozing)

    async def _lose(self, losing) -> None:
        await self.code.heartbeat(losing, micros=1)
        assert set(await self.code.reap(10)) == {job_id for job_id, _ in losing}
        assert await self.code.complete(losing) == [0] * len(losing)

    async def _cancel(self, held) -> None:
        ids = [job_id for job_id, _ in held]
        assert await self.code.cancel(ids) == [b"cancelled"] * len(ids)
        assert await self.code.complete(held) == [0] * len(held)
        self.cancelled += ids


async def test_old_and_new_code_work_side_by_side_through_an_upgrade(store):
    await install_version_1(store)
    old = OldWorker(store)
    done: list[str] = []
    await old.code.store([f"before-{n}" for n in range(500)])

    async def run_old() -> None:
        for number in range(40):
            await old.work(number)

    async def run_new(name: str) -> None:
        async with await store.open() as backend:
            for number in range(20):
                await backend.store_jobs([dibs.Job(id=f"{name}-{number}-{n}", job_type="test") for n in range(10)])
                done.extend(await finish_some(backend))

    await asyncio.gather(run_old(), *(run_new(f"new{n}") for n in range(4)))
    async with await store.open() as backend:
        assert (await backend.schema.state()).found == WANTED
        while finished := await finish_some(backend):
            done.extend(finished)
        await assert_each_ended_once(backend, old, [*done, *old.done], expected=500 + 40 * 10 + 4 * 20 * 10)


async def finish_some(backend) -> list[str]:
    jobs = await backend.claim_pending_jobs(15)
    assert all(await backend.complete_jobs([backend.completion(job.lease) for job in jobs]))
    return [job.id for job in jobs]


async def assert_each_ended_once(backend, old: OldWorker, done: list[str], *, expected: int) -> None:
    assert len(old.cancelled) == 40
    assert len(done) == len(set(done))
    assert set(done).isdisjoint([*old.cancelled, *old.failed])
    counts = await backend.reader.count_jobs(JobFilter())
    assert (counts["succeeded"], counts["cancelled"]) == (len(done), 40)
    assert sum(counts.values()) == counts["succeeded"] + counts["cancelled"] + counts["failed"] == expected
    entries = await read_audit(backend)
    assert [entry.sequence for entry in entries] == list(range(len(entries), 0, -1))
    succeeded = [entry.subject for entry in entries if entry.action == "JOB_SUCCEEDED"]
    assert sorted(succeeded) == sorted(f"job:{job_id}" for job_id in done)


async def read_audit(backend) -> list[AuditEntry]:
    entries: list[AuditEntry] = []
    cursor = None
    while True:
        # A page that ends within what one completion wrote as one entry of the stream.
        page = await backend.reader.list_audit(AuditFilter(), PageRequest(limit=37, cursor=cursor))
        entries += page.items
        if page.next_cursor is None:
            return entries
        assert cursor is None or page.next_cursor < cursor
        cursor = page.next_cursor
