"""Installing and upgrading the layout, alone and in a crowd."""

import asyncio
import json
import sys

import pytest

import dibs
from dibs.backends.redis.schema import WANTED, RedisSchema
from dibs.engine.store.reading import AuditFilter, JobFilter, PageRequest
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
    assert await schema.migrate() == [1, 2]
    assert (await schema.state()).found == WANTED
    assert await schema.migrate() == []


async def test_ten_processes_that_start_at_once_take_each_step_once(store):
    command = [sys.executable, "-c", MIGRATE, store.url]
    processes = [await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE) for _ in range(10)]
    outputs = [(await process.communicate())[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * 10
    assert sorted(version for output in outputs for version in json.loads(output)) == [1, 2]


async def test_an_older_layout_is_refused_when_it_may_not_be_upgraded(store):
    await install_version_1(store)
    with pytest.raises(SchemaMismatch, match="migrate=True"):
        await dibs.open_backend(store.url, migrate=False)


async def test_a_newer_layout_that_still_fits_is_used(store):
    async with await store.open():
        await store.lines.ask("HSET", f"{store.lines.address.tag}:schema", "version", WANTED + 1)
    async with await store.open() as backend:
        await backend.store_job(dibs.Job(job_type="test"))


async def test_a_newer_layout_that_does_not_fit_is_refused_and_untouched(store):
    async with await store.open():
        key = f"{store.lines.address.tag}:schema"
        await store.lines.ask("HSET", key, "version", WANTED + 5, "oldest_code", WANTED + 5)
    with pytest.raises(SchemaMismatch, match="Upgrade Dibs"):
        await store.open()
    assert (await RedisSchema(store.lines).state()).found == WANTED + 5


async def test_old_and_new_code_work_side_by_side_through_an_upgrade(store):
    await install_version_1(store)
    old = OldCode(store.lines)
    done: list[str] = []
    await old.store([f"before-{n}" for n in range(500)])

    async def run_old() -> None:
        for number in range(40):
            await old.store([f"old-{number}-{n}" for n in range(10)])
            held = await old.claim(15)
            assert await old.complete(held) == [1] * len(held)
            done.extend(job_id for job_id, _ in held)

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
        await assert_all_done_once(backend, done, expected=500 + 40 * 10 + 4 * 20 * 10)


async def finish_some(backend) -> list[str]:
    jobs = await backend.claim_pending_jobs(15)
    assert all(await backend.complete_jobs([backend.completion(job.lease) for job in jobs]))
    return [job.id for job in jobs]


async def assert_all_done_once(backend, done: list[str], *, expected: int) -> None:
    assert len(done) == len(set(done)) == expected
    counts = await backend.reader.count_jobs(JobFilter())
    assert counts["succeeded"] == sum(counts.values()) == expected
    page = await backend.reader.list_audit(AuditFilter(action="JOB_SUCCEEDED"), PageRequest(limit=1))
    assert page.items[0].sequence == expected
