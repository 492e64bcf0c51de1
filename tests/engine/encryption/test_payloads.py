"""Payloads are encrypted in every store, and shown to whoever has the key."""

import sqlite3
from contextlib import closing
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

import dibs
from dibs.engine.encryption.payloads import Unreadable
from dibs.engine.failure import ErrorInfo, FailureKind
from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.personal.jobs import find_jobs
from dibs.engine.schedules.declaring import make_timing
from dibs.engine.schedules.schedule import Schedule
from dibs.engine.states import State
from dibs.engine.store.moves import Failure, OnConflict, UniqueRule
from dibs.engine.store.reading import JobFilter, PageRequest
from dibs.errors import BadInput, Undecipherable
from dibs.kit.encryption.encrypted import MARK
from dibs.kit.encryption.secret import Secret
from dibs.testing.stores.sqlite import SqliteStore
from tests.engine.encryption.conftest import MARKER, NEW, OLD, OTHER, dump

ACT = {"actor": "op", "reason": "test"}
SECRET = {"to": MARKER, "deep": [MARKER, {MARKER: 1}]}
FAULT = ErrorInfo(type="ValueError", message=f"no {MARKER}", traceback=f"in send({MARKER})")


async def fill(backend):
    """Leave a marker in every payload that there is."""
    await backend.store_jobs([dibs.Job(id=f"job-{number}", job_type="test", input=SECRET) for number in range(4)])
    done, broken, busy, _ = await backend.claim_pending_jobs(4)
    await backend.complete_job(done.lease, {"sent": MARKER})
    await backend.fail_job(Failure(lease=broken.lease, error=FAULT, kind=FailureKind.PERMANENT))
    await backend.report_progress(busy.lease, {"at": MARKER})
    schedule = Schedule(name="nightly", job_type="test", timing=make_timing("0 3 * * *"), input=SECRET)
    await backend.schedules.create(schedule, **ACT)
    return done, broken, busy


async def test_a_dump_of_the_store_shows_no_payload(store):
    async with await store.open(encryption_keys=(OLD,)) as backend:
        await fill(backend)
        await backend.copy_jobs([dibs.Job(job_type="test", input=SECRET)])
        keyed = dibs.Job(job_type="test", input=SECRET, unique_key="one")
        for rule in (OnConflict.KEEP, OnConflict.RETURN, OnConflict.REPLACE):
            await backend.store_job(keyed, unique=UniqueRule(on_conflict=rule))
            keyed = replace(keyed, id=rule.value)
        await backend.schedules.run_now("nightly", **ACT)
        assert MARKER not in await dump(store)
    async with await store.open() as backend:
        await fill_more(backend)
        assert MARKER in await dump(store), "the dump does not show what there is"


async def fill_more(backend):
    await backend.store_job(dibs.Job(job_type="plain", input=SECRET))


async def test_whoever_has_the_key_sees_everything_as_it_was_given(store):
    async with await store.open(encryption_keys=(OLD,)) as backend:
        done, broken, busy = await fill(backend)
        assert [one.input for one in (done, broken, busy)] == [SECRET] * 3
        assert (await backend.get_job(done.id)).output == {"sent": MARKER}
        assert (await backend.get_job(broken.id)).error == FAULT
        assert (await backend.reader.list_attempts(broken.id))[0].error == FAULT
        assert (await backend.get_job(busy.id)).progress == {"at": MARKER}
        listed = await backend.reader.list_jobs(JobFilter(), PageRequest())
        assert [job.input for job in listed.items] == [SECRET] * 4
        assert (await backend.schedules.get("nightly")).input == SECRET


async def test_another_handle_that_has_the_key_may_finish_what_this_one_claimed(store):
    async with await store.open(encryption_keys=(OLD,)) as backend, await store.open(encryption_keys=(OLD,)) as other:
        await backend.store_jobs([dibs.Job(id=f"job-{number}", job_type="test", tenant="acme") for number in range(2)])
        one, two = await backend.claim_pending_jobs(2)
        await other.complete_job(one.lease, MARKER)
        await other.fail_job(Failure(lease=two.lease, error=FAULT))
        assert (await backend.get_job(one.id)).output == MARKER
        assert (await backend.get_job(two.id)).error == FAULT
        assert MARKER not in await dump(store)


async def test_a_worker_without_the_key_leaves_jobs_to_one_that_has_it(store):
    async with await store.open(encryption_keys=(OLD,)) as backend:
        await backend.store_job(dibs.Job(id="shut", job_type="test", input=SECRET))
    for keys in ((), (OTHER,)):
        async with await store.open(encryption_keys=keys) as stranger:
            await stranger.store_job(dibs.Job(id=f"open-{len(keys)}", job_type="test", input={"n": 1}))
            claimed = await stranger.claim_pending_jobs(10)
            assert [job.input for job in claimed] == [{"n": 1}]
        await store.advance(timedelta(seconds=61))
    async with await store.open(encryption_keys=(OLD,)) as backend:
        job = await backend.claim_pending_job()
        assert (job.id, job.input, job.attempts) == ("shut", SECRET, 0)


async def test_without_the_key_a_reader_sees_the_job_and_what_to_do(store):
    async with await store.open(encryption_keys=(OLD,)) as backend:
        _, broken, _ = await fill(backend)
    async with await store.open() as stranger:
        job = await stranger.get_job(broken.id)
        assert isinstance(job.input, Unreadable)
        assert "DIBS_ENCRYPTION_KEYS" in job.input["unreadable"]
        assert job.error is not None
        assert job.error.type == "ValueError"
        assert "DIBS_ENCRYPTION_KEYS" in job.error.message
        assert "DIBS_ENCRYPTION_KEYS" in (await stranger.reader.list_attempts(broken.id))[0].error.message
        assert isinstance((await stranger.schedules.get("nightly")).input, Unreadable)


async def test_a_schedule_that_cannot_be_read_neither_fires_nor_loses_its_input(store):
    async with await store.open(encryption_keys=(OLD,)) as backend:
        schedule = Schedule(name="often", job_type="test", timing=make_timing(timedelta(seconds=1)), input=SECRET)
        await backend.schedules.create(schedule, **ACT)
    await store.advance(timedelta(seconds=5))
    async with await store.open(encryption_keys=(OTHER,)) as stranger:
        assert await stranger.schedules.fire_due(10) == []
        with pytest.raises(Undecipherable, match="DIBS_ENCRYPTION_KEYS"):
            await stranger.schedules.pause("often", **ACT)
    async with await store.open(encryption_keys=(OLD,)) as backend:
        await backend.schedules.fire_due(10)
        assert (await backend.claim_pending_job()).input == SECRET


async def test_nobody_is_erased_past_an_error_that_cannot_be_read(store):
    async with await store.open() as backend:
        await backend.store_job(dibs.Job(id="plain", job_type="test", input={"to": "nobody"}))
    async with await store.open(encryption_keys=(OLD,)) as backend:
        held = await backend.claim_pending_job()
        await backend.fail_job(Failure(lease=held.lease, error=FAULT, kind=FailureKind.PERMANENT))
        assert len(await find_jobs(backend, Inquiry("default", [MARKER]))) == 1
    async with await store.open() as backend:
        with pytest.raises(Undecipherable, match="job 'plain' cannot be searched"):
            await find_jobs(backend, Inquiry("default", [MARKER]))
    async with await store.open(encryption_keys=(OLD,)) as backend:
        await backend.retry_job("plain", **ACT)
    async with await store.open() as backend:
        with pytest.raises(Undecipherable, match="an attempt of job 'plain' cannot be searched"):
            await find_jobs(backend, Inquiry("default", [MARKER]))


async def test_a_new_key_in_front_writes_and_the_old_one_still_reads(store):
    async with await store.open(encryption_keys=(OLD,)) as backend:
        await backend.store_job(dibs.Job(id="before", job_type="test", input=SECRET))
    async with await store.open(encryption_keys=(NEW, OLD)) as backend:
        await backend.store_job(dibs.Job(id="after", job_type="test", input=SECRET))
        assert [job.input for job in await backend.claim_pending_jobs(2)] == [SECRET] * 2
    async with await store.open(encryption_keys=(NEW,)) as backend:
        after, before = await backend.reader.find_jobs(["after", "before"])
        assert after.input == SECRET
        assert isinstance(before.input, Unreadable)


async def test_a_key_of_one_tenant_leaves_the_others_plain(store):
    keys = (Secret(f"acme:{OLD}"),)
    async with await store.open(encryption_keys=keys) as backend:
        await backend.store_job(dibs.Job(id="shut", job_type="test", tenant="acme", input={"is": "shut"}))
        await backend.store_job(dibs.Job(id="open", job_type="test", tenant="globex", input={"is": "open"}))
        held = await dump(store)
        assert '"shut"' not in held.replace("\\", "")
        assert '"open"' in held.replace("\\", "")
        assert {job.input["is"] for job in await backend.claim_pending_jobs(2)} == {"shut", "open"}


async def test_an_unchanged_input_of_a_schedule_is_not_told_as_changed(store):
    async with await store.open(encryption_keys=(OLD,)) as backend:
        schedule = Schedule(name="nightly", job_type="test", timing=make_timing("0 3 * * *"), input=SECRET)
        await backend.schedules.create(schedule, **ACT)
        await backend.schedules.pause("nightly", **ACT)
        entries = await backend.audit.list_unsealed()
        assert sorted(entries[-1].detail["after"]) == ["next_at", "paused"]


async def test_a_retried_job_keeps_what_it_was_given(store):
    async with await store.open(encryption_keys=(OLD,)) as backend:
        _, broken, _ = await fill(backend)
        await backend.retry_job(broken.id, **ACT)
        await backend.claim_pending_jobs(10)
        again = await backend.get_job(broken.id)
        assert (again.state, again.input) == (State.RUNNING, SECRET)


async def test_a_value_moved_to_another_row_does_not_open(tmp_path):
    url = f"sqlite:///{tmp_path}/jobs.db"
    settings = dibs.Settings(encryption_keys=(OLD,))
    async with await dibs.open_backend(url, settings=settings) as backend:
        await backend.store_jobs([dibs.Job(id=name, job_type="test", input={"of": name}) for name in ("one", "two")])
        await backend.store_job(dibs.Job(id="three", job_type="test", tenant="acme", input={"of": "three"}))
    await move_input(tmp_path / "jobs.db", source="one", targets=("two", "three"))
    async with await dibs.open_backend(url, settings=settings) as backend:
        one, two, three = [await backend.get_job(name) for name in ("one", "two", "three")]
        assert one.input == {"of": "one"}
        assert "moved from another place" in two.input["unreadable"]
        assert "moved from another place" in three.input["unreadable"]
        assert [job.id for job in await backend.claim_pending_jobs(3)] == ["one"]


async def move_input(path, *, source, targets):
    with closing(sqlite3.connect(path)) as connection, connection:
        (text,) = connection.execute("SELECT input FROM dibs_jobs WHERE id = ?", (source,)).fetchone()
        assert MARK in text
        for target in targets:
            connection.execute("UPDATE dibs_jobs SET input = ? WHERE id = ?", (text, target))


LIKE_OURS = f"{MARK}0123456789ab.{'A' * 40}"


@pytest.mark.parametrize("text", [LIKE_OURS, f"dibs.plain.1.{LIKE_OURS}"])
@pytest.mark.parametrize("keys", [(), (Secret(f"globex:{OLD}"),)], ids=["no key", "another's key"])
async def test_a_text_that_looks_like_ours_is_given_back_as_it_was(tmp_path, text, keys):
    store: Any = SqliteStore(tmp_path)
    async with await store.open(encryption_keys=keys) as backend:
        names = ("one", "two", "three")
        jobs = [dibs.Job(id=name, job_type="test", tenant="acme", input=text) for name in names]
        assert [job.input for job in await backend.store_jobs(jobs[:2])] == [text] * 2
        await backend.copy_jobs(jobs[2:])
        done, broken, busy = await backend.claim_pending_jobs(3)
        await backend.complete_job(done.lease, text)
        await backend.fail_job(Failure(lease=broken.lease, error=ErrorInfo(type="X", message=text)))
        await backend.report_progress(busy.lease, text)
        schedule = Schedule(name="n", tenant="acme", job_type="test", timing=make_timing("0 3 * * *"), input=text)
        assert (await backend.schedules.create(schedule, **ACT)).input == text
        assert [job.input for job in (done, broken, busy)] == [text] * 3
        assert (await backend.get_job(done.id)).output == text
        assert (await backend.get_job(broken.id)).error.message == text
        assert (await backend.reader.list_attempts(broken.id))[0].error.message == text
        assert (await backend.get_job(busy.id)).progress == text
        assert (await backend.schedules.get("n", tenant="acme")).input == text


async def test_a_text_that_looks_like_ours_is_encrypted_when_a_key_comes(store):
    async with await store.open() as backend:
        stored = await backend.store_job(dibs.Job(id="one", job_type="test", input=LIKE_OURS))
        assert stored.input == (await backend.get_job("one")).input == LIKE_OURS
    async with await store.open(encryption_keys=(OLD,)) as backend:
        async for _ in backend.renewal.renew_jobs():
            pass
        assert (await backend.get_job("one")).input == LIKE_OURS
        assert LIKE_OURS not in await dump(store)


async def test_what_was_cut_off_is_told_as_unreadable_and_stops_nobody(tmp_path):
    url = f"sqlite:///{tmp_path}/jobs.db"
    settings = dibs.Settings(encryption_keys=(OLD,))
    async with await dibs.open_backend(url, settings=settings) as backend:
        await backend.store_job(dibs.Job(id="cut", job_type="test", input=SECRET))
    with closing(sqlite3.connect(tmp_path / "jobs.db")) as connection, connection:
        (text,) = connection.execute("SELECT input FROM dibs_jobs").fetchone()
        connection.execute("UPDATE dibs_jobs SET input = ?", (f'{text[:57]}"',))
    async with await dibs.open_backend(url, settings=settings) as backend:
        assert "changed" in (await backend.get_job("cut")).input["unreadable"]
        assert await backend.claim_pending_jobs(1) == []


async def test_a_key_that_is_too_short_is_refused_before_anything_is_opened(tmp_path):
    settings = dibs.Settings(encryption_keys=(Secret("short"),))
    with pytest.raises(BadInput, match="DIBS_ENCRYPTION_KEYS has 5 characters"):
        await dibs.open_backend(f"sqlite:///{tmp_path}/jobs.db", settings=settings)
    assert not (tmp_path / "jobs.db").exists()
