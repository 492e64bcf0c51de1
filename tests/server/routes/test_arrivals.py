"""Many who store single jobs share their writes."""

import asyncio
from contextvars import ContextVar
from typing import Any

import pytest

from dibs.engine.job import Job
from dibs.engine.store.reading import JobFilter, PageRequest
from dibs.errors import BadInput, DuplicateJob, OutcomeUnknown, StoreUnavailable
from dibs.server.arrivals import MOST_AT_ONCE, MOST_BYTES, Arrivals


class Store:
    """Keeps what is stored together, and lets each write begin only when told."""

    def __init__(self) -> None:
        self.writes: list[list[str]] = []
        self.go = asyncio.Event()
        self.error: Exception | None = None

    def check_job(self, job):
        if job.id == "wrong":
            message = f"job {job.id!r} cannot be stored."
            raise BadInput(message)
        return b"x" * job.input.get("size", 1)

    async def store_checked(self, jobs, inputs):
        assert len(jobs) == len(inputs)
        self.writes.append([job.id for job in jobs])
        await self.go.wait()
        if self.error is not None:
            raise self.error
        if any(job.id.startswith("bad") for job in jobs):
            message = f"job {'bad'!r} is not to be stored."
            raise BadInput(message)
        return list(jobs)

    async def open(self) -> Any:
        return self


async def begin(arrivals: Arrivals, *ids: str, size: int = 1) -> list[asyncio.Task]:
    jobs = [Job(id=one, job_type="PING", input={"size": size}) for one in ids]
    tasks = [asyncio.create_task(arrivals.store(job)) for job in jobs]
    for _ in range(5):
        await asyncio.sleep(0)
    return tasks


async def test_who_comes_while_a_write_is_under_way_shares_the_next_one():
    store = Store()
    arrivals = Arrivals(store.open)
    storing = await begin(arrivals, "a") + await begin(arrivals, "b", "c") + await begin(arrivals, "d")
    store.go.set()
    assert [job.id for job in await asyncio.gather(*storing)] == ["a", "b", "c", "d"]
    assert store.writes == [["a"], ["b", "c", "d"]]


async def test_one_that_is_refused_is_refused_alone():
    store = Store()
    first, bad, last = await begin(Arrivals(store.open), "a", "bad", "c")
    store.go.set()
    assert [(await one).id for one in (first, last)] == ["a", "c"]
    with pytest.raises(BadInput):
        await bad
    assert store.writes == [["a", "bad", "c"], ["a"], ["bad", "c"], ["bad"], ["c"]]


async def test_what_cannot_be_stored_is_refused_before_it_joins_the_others():
    store = Store()
    first, wrong, last = await begin(Arrivals(store.open), "a", "wrong", "c")
    with pytest.raises(BadInput):
        await wrong
    store.go.set()
    assert [(await one).id for one in (first, last)] == ["a", "c"]
    assert store.writes == [["a", "c"]]


async def test_one_that_is_refused_does_not_make_single_writes_of_everybodys():
    store = Store()
    store.go.set()
    ids = [f"{number:04}" for number in range(MOST_AT_ONCE - 1)]
    told = await asyncio.gather(*await begin(Arrivals(store.open), *ids, "bad"), return_exceptions=True)
    assert [type(one) for one in told] == [Job] * len(ids) + [BadInput]
    assert len(store.writes) < 25
    assert [job_id for write in store.writes if "bad" not in write for job_id in write] == ids


async def test_all_who_ask_again_are_told_so_by_one_look(engine):
    backend, writes = await engine.backend(), []
    store = backend.store_checked

    async def counting(jobs, inputs):
        writes.append(len(jobs))
        return await store(jobs, inputs)

    backend.store_checked = counting
    arrivals = Arrivals(engine.backend)
    await asyncio.gather(*await begin(arrivals, *(f"again-{number}" for number in range(40))))
    mixed = [f"{'new' if number % 3 else 'again'}-{number}" for number in range(40)]
    writes.clear()
    told: list[Any] = await asyncio.gather(*await begin(arrivals, *mixed), return_exceptions=True)
    assert [type(one) for one in told] == [Job if one.startswith("new") else DuplicateJob for one in mixed]
    assert [str(one).split("'")[1] for one in told[::3]] == mixed[::3]
    assert writes == [40, 26]


class Asking:
    """A reader whose driver breaks in a way of its own."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    async def find_jobs(self, ids):
        raise self.error


async def test_where_nobody_can_tell_who_is_known_only_who_is_known_is_refused(engine):
    backend = await engine.backend()
    await backend.store_job(Job(id="known", job_type="PING"))
    store, backend.reader = backend.reader, Asking(RuntimeError("the driver is confused"))
    told: list[Any] = await asyncio.gather(
        *await begin(Arrivals(engine.backend), "a", "known", "c"), return_exceptions=True
    )
    backend.reader = store
    assert [type(one) for one in told] == [Job, DuplicateJob, Job]


async def test_a_fault_that_nobody_foresaw_is_told_to_those_it_met_and_others_are_served(monkeypatch):
    store = Store()
    arrivals = Arrivals(store.open)
    refuse = arrivals._refuse

    async def confused(taken, error):
        if any(one.job.id == "bad-1" for one in taken):
            raise RuntimeError("a fault of ours")
        await refuse(taken, error)

    monkeypatch.setattr(arrivals, "_refuse", confused)
    storing = await begin(arrivals, "bad-1") + await begin(arrivals, "b", "c")
    store.go.set()
    told: list[Any] = await asyncio.gather(*storing, return_exceptions=True)
    first, *others = told
    assert (type(first), [one.id for one in others]) == (RuntimeError, ["b", "c"])


async def test_of_one_id_a_second_one_waits_for_the_next_write():
    store = Store()
    arrivals = Arrivals(store.open)
    storing = await begin(arrivals, "a") + await begin(arrivals, "b", "b", "c")
    store.go.set()
    await asyncio.gather(*storing)
    assert store.writes == [["a"], ["b"], ["b", "c"]]


async def test_large_jobs_are_stored_a_few_at_a_time():
    store = Store()
    store.go.set()
    arrivals = Arrivals(store.open)
    storing = await begin(arrivals, "a", "b", "c", size=MOST_BYTES // 2) + await begin(
        arrivals, "d", size=MOST_BYTES + 1
    )
    await asyncio.gather(*storing)
    assert store.writes == [["a", "b"], ["c"], ["d"]]


async def test_nobody_waits_for_ever_where_the_write_is_cancelled():
    store = Store()
    arrivals = Arrivals(store.open)
    storing = await begin(arrivals, "a") + await begin(arrivals, "b")
    assert arrivals._storing is not None
    arrivals._storing.cancel()
    await asyncio.wait(storing)
    assert all(one.cancelled() for one in storing)
    store.go.set()
    assert (await arrivals.store(Job(id="c", job_type="PING"))) is not None


async def test_a_store_is_not_opened_once_more_for_those_who_have_left():
    store = Store()
    opened = 0

    async def opening() -> Any:
        nonlocal opened
        opened += 1
        return store

    arrivals = Arrivals(opening)
    first, left = await begin(arrivals, "a") + await begin(arrivals, "b")
    left.cancel()
    before = opened
    store.go.set()
    await first
    while arrivals._storing is not None:
        await asyncio.sleep(0)
    assert opened == before


async def test_what_is_bound_to_one_request_is_not_bound_to_the_writes_of_others():
    asker: ContextVar[str] = ContextVar("asker", default="nobody")
    seen = []

    class Asking(Store):
        async def store_checked(self, jobs, inputs):
            seen.append(asker.get())
            return await super().store_checked(jobs, inputs)

    store = Asking()
    store.go.set()
    asker.set("the first")
    await Arrivals(store.open).store(Job(id="a", job_type="PING"))
    assert seen == ["nobody"]


async def test_a_fault_of_the_store_reaches_all_who_came_and_nobody_after_them():
    store = Store()
    store.error = StoreUnavailable("gone")
    arrivals = Arrivals(store.open)
    storing = await begin(arrivals, "a", "b")
    store.go.set()
    for one in storing:
        with pytest.raises(StoreUnavailable):
            await one
    assert store.writes == [["a", "b"]], "what may be stored already is not stored again"
    store.error = None
    assert (await arrivals.store(Job(id="c", job_type="PING"))) is not None


async def test_whoever_leaves_takes_the_answer_from_nobody_and_nothing_is_stored_for_who_left_in_time():
    store = Store()
    arrivals = Arrivals(store.open)
    first, left, stayed = await begin(arrivals, "a") + await begin(arrivals, "b", "c")
    left.cancel()
    await asyncio.wait([left])
    store.go.set()
    assert [(await one).id for one in (first, stayed)] == ["a", "c"]
    assert store.writes == [["a"], ["c"]]


async def test_a_crowd_is_stored_in_parts_in_the_order_of_its_coming():
    store = Store()
    store.go.set()
    arrivals = Arrivals(store.open)
    ids = [f"{number:04}" for number in range(MOST_AT_ONCE + 3)]
    await asyncio.gather(*await begin(arrivals, *ids))
    assert [len(write) for write in store.writes] == [MOST_AT_ONCE, 3]
    assert [job_id for write in store.writes for job_id in write] == ids


async def test_of_a_crowd_on_a_real_store_each_gets_their_own_answer(engine):
    arrivals = Arrivals(engine.backend)
    jobs = [Job(id=f"job-{number % 9}", job_type="PING", input={"n": number}) for number in range(12)]
    told: list[Any] = await asyncio.gather(*map(arrivals.store, jobs), return_exceptions=True)
    assert [type(one) for one in told] == [Job] * 9 + [DuplicateJob] * 3
    assert [one.input["n"] for one in told[:9]] == list(range(9))


async def test_requests_that_come_together_are_stored_together_each_for_its_own_tenant(engine, acme, globex):
    backend, writes = await engine.backend(), []
    store = backend.store_checked

    async def counting(jobs, inputs):
        writes.append(len(jobs))
        return await store(jobs, inputs)

    backend.store_checked = counting
    clients = [acme, globex] * 10
    answers = await asyncio.gather(
        *(
            client.post("/jobs", json={"job_type": "PING", "input": {"text": str(n)}})
            for n, client in enumerate(clients)
        ),
        acme.post("/jobs", json={"job_type": "PING", "input": {"text": "x" * 2_000_000}}),
    )
    assert [answer.status_code for answer in answers] == [201] * 20 + [413]
    stored = [answer.json()["job"] for answer in answers[:20]]
    assert [(job["tenant"], job["input"]["text"]) for job in stored] == [
        ("acme" if client is acme else "globex", str(n)) for n, client in enumerate(clients)
    ]
    assert max(writes) > 1


async def test_a_crowd_whose_write_came_to_an_unknown_end_asks_again_and_nothing_is_stored_twice(engine, acme, globex):
    backend, broken = await engine.backend(), list[int]()
    store = backend.store_checked

    async def breaking(jobs, inputs):
        stored = await store(jobs, inputs)
        if len(broken) < 2:
            broken.append(len(jobs))
            message = "the connection broke after a write was sent."
            raise OutcomeUnknown(message)
        return stored

    backend.store_checked = breaking

    async def ask_all() -> list[Any]:
        asked = {"json": {"job_type": "PING"}}
        return await asyncio.gather(
            *((acme, globex)[n % 2].post("/jobs", **asked, headers={"Idempotency-Key": f"k{n}"}) for n in range(12))
        )

    assert {answer.status_code for answer in await ask_all()} == {503}
    assert max(broken) > 1
    again, once_more = await ask_all(), await ask_all()
    assert {answer.status_code for answer in again} == {201}
    ids = [answer.json()["job"]["id"] for answer in again]
    assert [answer.json()["job"]["id"] for answer in once_more] == ids
    assert [answer.json()["job"]["tenant"] for answer in again] == ["acme", "globex"] * 6
    assert sorted(
        job.id for job in (await backend.reader.list_jobs(JobFilter(), PageRequest(limit=100))).items
    ) == sorted(ids)
