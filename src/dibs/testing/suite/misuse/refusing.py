"""Promise 8: bad input gets a clear error that says what to do, and changes nothing."""

import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from dibs.engine.failure import ErrorInfo
from dibs.engine.job import Job, Lease
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import Failure, UniqueRule, UniqueWhile
from dibs.engine.store.reading import JobFilter
from dibs.errors import BadInput, DuplicateJob, NotJson, PayloadTooDeep, PayloadTooLarge
from dibs.kit.codec import DEEPEST
from dibs.testing.harness import StoreHarness
from dibs.testing.suite.ground import Ground, store_and_claim


def endless_list() -> dict[str, Any]:
    """Make a list that holds itself."""
    loop: list[Any] = []
    loop.append(loop)
    return {"input": loop}


def nested(levels: int) -> dict[str, Any]:
    """Make objects and lists within each other."""
    value: Any = "innermost"
    for level in range(levels):
        value = [value] if level % 2 else {"within": value}
    return {"input": value}


BAD_JOBS: dict[str, tuple[Callable[[], dict[str, Any]], type[Exception], str]] = {
    "payload over the limit": (lambda: {"input": "x" * 1024 * 1024}, PayloadTooLarge, "1048576"),
    "an object that is not JSON": (lambda: {"input": object()}, NotJson, "not JSON"),
    "NaN": (lambda: {"input": [1, {"a": math.nan}]}, NotJson, "nan"),
    "an infinity": (lambda: {"input": -math.inf}, NotJson, "-inf"),
    "a lone surrogate": (lambda: {"input": "\ud800"}, NotJson, "not JSON"),
    "a structure without end": (endless_list, PayloadTooDeep, "contains itself"),
    "one level too many": (lambda: nested(DEEPEST + 1), PayloadTooDeep, f"input of job 'bad' .* {DEEPEST} "),
    "a hundred thousand levels": (lambda: nested(100_000), PayloadTooDeep, f"more than {DEEPEST} "),
    "priority too high": (lambda: {"priority": 1001}, BadInput, "-1000 to 1000"),
    "priority too low": (lambda: {"priority": -1001}, BadInput, "-1000 to 1000"),
    "priority not whole": (lambda: {"priority": 1.5}, BadInput, "whole number"),
    "priority a boolean": (lambda: {"priority": True}, BadInput, "whole number"),
    "no type": (lambda: {"job_type": ""}, BadInput, "job_type"),
    "an empty id": (lambda: {"id": ""}, BadInput, "id"),
    "a long id": (lambda: {"id": "x" * 201}, BadInput, "200"),
    "a NUL in a name": (lambda: {"queue": "a\x00b"}, BadInput, "queue"),
    "a line break in a name": (lambda: {"tenant": "a\nb"}, BadInput, "tenant"),
    "a surrogate in a name": (lambda: {"source": "\udfff"}, BadInput, "source"),
    "a name that is no string": (lambda: {"parent_id": 7}, BadInput, "parent_id"),
    "negative retries": (lambda: {"max_retries": -1}, BadInput, "max_retries"),
    "a naive instant": (lambda: {"run_at": datetime(2030, 1, 1)}, BadInput, "aware"),  # noqa: DTZ001
    "a far instant": (lambda: {"run_at": datetime(9999, 1, 1, tzinfo=UTC)}, BadInput, "2200"),
}


class Refusing(Ground):
    """What is refused, and that nothing is left of it."""

    @pytest.mark.parametrize("name", BAD_JOBS)
    async def test_a_bad_job_is_refused_and_nothing_is_stored(self, backend: Backend, name: str) -> None:
        make_fields, error, hint = BAD_JOBS[name]
        bad = Job(**{"id": "bad", "job_type": "test", **make_fields()})
        good = Job(id="good", job_type="test")
        for storing in (backend.store_jobs, backend.copy_jobs):
            with pytest.raises(error, match=hint):
                await storing([good, bad])
        assert sum((await backend.reader.count_jobs(JobFilter())).values()) == 0

    async def test_a_payload_at_the_limit_is_stored(self, backend: Backend) -> None:
        await backend.store_job(Job(id="big", job_type="test", input="x" * (1024 * 1024 - 2)))
        job = await backend.claim_pending_job()
        assert job is not None
        assert len(job.input) == 1024 * 1024 - 2

    async def test_a_payload_as_deep_as_the_limit_is_stored_and_comes_back(self, backend: Backend) -> None:
        deep = nested(DEEPEST)["input"]
        await backend.store_job(Job(id="deep", job_type="test", input=deep))
        job = await backend.claim_pending_job()
        assert job is not None
        await backend.complete_job(job.lease, deep)
        done = await backend.get_job("deep")
        assert (job.input, done.input, done.output) == (deep, deep, deep)

    async def test_the_limit_can_be_set(self, harness: StoreHarness, backend: Backend) -> None:
        handle = await harness.open(max_payload_bytes=10)
        with pytest.raises(PayloadTooLarge, match="10"):
            await handle.store_job(Job(job_type="test", input="x" * 10))
        await handle.close()

    async def test_an_id_twice_in_a_batch_is_refused(self, backend: Backend) -> None:
        with pytest.raises(DuplicateJob, match="twin"):
            await backend.store_jobs([Job(id="twin", job_type="test"), Job(id="twin", job_type="test")])
        assert await backend.find_job("twin") is None

    async def test_a_copy_with_a_unique_key_is_refused(self, backend: Backend) -> None:
        with pytest.raises(BadInput, match="store_jobs"):
            await backend.copy_jobs([Job(job_type="test", unique_key="k")])

    async def test_a_rule_that_contradicts_itself_is_refused(self, backend: Backend) -> None:
        for rule in (
            UniqueRule(hold=UniqueWhile.WINDOW),
            UniqueRule(hold=UniqueWhile.PENDING, window=timedelta(hours=1)),
            UniqueRule(hold=UniqueWhile.WINDOW, window=timedelta(0)),
        ):
            with pytest.raises(BadInput, match="window"):
                await backend.store_job(Job(job_type="test", unique_key="k"), unique=rule)

    async def test_a_bad_output_leaves_the_job_running(self, backend: Backend) -> None:
        job = await store_and_claim(backend)
        with pytest.raises(NotJson):
            await backend.complete_job(job.lease, object())
        with pytest.raises(PayloadTooLarge):
            await backend.report_progress(job.lease, "x" * 1024 * 1024)
        with pytest.raises(PayloadTooDeep, match="output of job 'job'"):
            await backend.complete_job(job.lease, nested(100_000)["input"])
        assert await backend.get_job("job") == job

    async def test_bad_numbers_and_durations_are_refused(self, backend: Backend) -> None:
        lease = Lease("job", 1)
        with pytest.raises(BadInput, match="limit"):
            await backend.claim_pending_jobs(0)
        with pytest.raises(BadInput, match="lease"):
            await backend.claim_pending_job(lease=timedelta(0))
        with pytest.raises(BadInput, match="delay"):
            await backend.snooze_job(lease, timedelta(seconds=-1))
        with pytest.raises(BadInput, match="delay"):
            await backend.store_job(Job(job_type="test"), delay=timedelta(days=999_999))
        with pytest.raises(BadInput, match="retry_in"):
            await backend.fail_job(Failure(lease=lease, error=ErrorInfo(type="E"), retry_in=timedelta(days=-1)))

    async def test_a_lease_twice_in_a_batch_is_refused(self, backend: Backend) -> None:
        job = await store_and_claim(backend)
        completion = backend.completion(job.lease)
        with pytest.raises(BadInput, match="2 times"):
            await backend.complete_jobs([completion, completion])
        assert (await backend.get_job("job")).state is State.RUNNING
