"""The last quarter of an hour, as the charts tell it."""

from datetime import UTC, datetime, timedelta

import pytest

from dibs.engine.job import Job
from dibs.engine.states import State
from dibs.engine.store.reading import AuditEntry
from dibs.server.observing import chronicle as chronicles
from dibs.server.observing import drawing
from dibs.server.observing.chronicle import FIRST_COUNTS_APART, Chronicle, find_pause
from dibs.server.observing.holdups import Holdups
from dibs.server.observing.sample import FAILED, SUCCEEDED, Latency, Sample, count_ended, find_quantile, measure
from dibs.web.pages.showing import figures_words
from tests.server.conftest import enqueue

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)


def make_entry(action: str, tenant: str = "acme", sequence: int = 1) -> AuditEntry:
    return AuditEntry(sequence=sequence, at=NOON, tenant=tenant, actor="w", action=action, subject="job:1")


def make_sample(seconds: float = 2, **facts) -> Sample:
    return Sample(at=NOON, seconds=seconds, **{"ended": {}, **facts})


def test_endings_are_counted_by_tenant_and_kind():
    actions = ["JOB_SUCCEEDED", "JOB_SUCCEEDED", "JOB_FAILED", "JOB_EXHAUSTED_RETRIES", "KEY_CREATED"]
    counted = count_ended([make_entry(action) for action in actions])
    assert counted == {("acme", SUCCEEDED): 2, ("acme", FAILED): 2}


def test_a_share_stands_for_all():
    assert count_ended([make_entry("JOB_SUCCEEDED")] * 10, share=0.1) == {("acme", SUCCEEDED): 100}


def test_waiting_is_counted_from_when_a_job_was_due():
    job = Job(
        id="1",
        job_type="t",
        created_at=NOON,
        run_at=NOON + timedelta(seconds=10),
        locked_at=NOON + timedelta(seconds=12),
        finished_at=NOON + timedelta(seconds=15),
    )
    assert measure([job, None, Job(id="2", job_type="t")]) == (Latency("default", 2.0, 3.0),)


@pytest.mark.parametrize(("values", "part", "found"), [([], 0.5, None), ([3, 1, 2], 0.5, 2), ([1, 2, 3, 4], 0.95, 4)])
def test_quantiles(values, part, found):
    assert find_quantile(values, part) == found


def test_a_rate_is_over_the_last_minute():
    samples = [make_sample(ended={("acme", SUCCEEDED): 1000})] * 5 + [make_sample(ended={("acme", SUCCEEDED): 4})] * 30
    assert drawing.find_rate(samples, SUCCEEDED, None) == 2
    assert drawing.find_rate(samples, SUCCEEDED, "globex") == 0
    assert drawing.find_rate([], SUCCEEDED, None) == 0


def test_the_fullest_queues_are_drawn_and_a_gap_stays_a_gap():
    queues = {f"q{number}": {State.PENDING: number, State.RUNNING: 50} for number in range(9)}
    figures = drawing.draw_queues([make_sample(), make_sample(queues=queues)])
    assert [(line.label, line.values) for line in figures.series] == [(f"q{n}", [None, n]) for n in range(4, 9)]
    assert figures_words(figures) == "q4 4, q5 5, q6 6, q7 7, q8 8"


def test_a_tenants_charts_hold_its_own_figures_only():
    sample = make_sample(
        ended={("acme", SUCCEEDED): 4, ("globex", SUCCEEDED): 40},
        latencies=(Latency("acme", 1, 1), Latency("globex", 9, 9)),
        tenants={"acme": 3, "globex": 30},
    )
    assert drawing.draw_rates([sample], "acme").series[0].values == [2.0]
    assert drawing.draw_latencies([sample], "acme").series[0].values == [1]
    assert [(line.label, line.values) for line in drawing.draw_tenants([sample], "acme").series] == [("acme", [3])]


def test_long_series_are_thinned_and_keep_their_end():
    samples = [make_sample(seconds=number) for number in range(450)]
    thinned = drawing.thin(samples)
    assert len(thinned) <= drawing.MOST_POINTS
    assert thinned[-1] is samples[-1]


async def test_charts_are_filled_from_the_audit_log_at_once(engine, operator, drain):
    for _ in range(3):
        await enqueue(operator, tenant="acme")
    await enqueue(operator, job_type="FAIL", tenant="acme")
    await drain()
    samples = await read_all(engine)
    assert drawing.count_all(samples, SUCCEEDED, "acme") == 3
    assert drawing.count_all(samples, FAILED, None) == 1


async def read_all(engine):
    chronicle = Chronicle(engine.backend)
    samples = await chronicle.read()
    await chronicle.close()
    return samples


async def test_each_look_counts_what_is_new(engine, operator, drain):
    chronicle = Chronicle(engine.backend)
    await chronicle.look()
    await enqueue(operator)
    await enqueue(operator, queue="mail", delay_seconds=60, tenant="globex")
    await drain()
    await chronicle.look()
    await chronicle.look()
    samples = tuple(chronicle._samples)
    assert [sum(sample.ended.values()) for sample in samples[-2:]] == [1, 0]
    assert samples[-2].latencies[0].waited < 5
    assert not samples[-2].is_estimated


async def test_backlogs_are_counted_by_queue_and_tenant(engine, operator):
    await enqueue(operator, queue="mail", tenant="globex")
    await enqueue(operator, queue="mail", tenant="acme")
    sample = (await read_all(engine))[-1]
    assert (sample.waiting, sample.running) == (2, 0)
    assert sample.tenants == {"acme": 1, "globex": 1}


def test_one_count_that_had_to_wait_does_not_put_off_the_next_for_minutes():
    assert find_pause([0.004, 5.0, 0.004]) == pytest.approx(0.2)
    assert find_pause([5.0]) == FIRST_COUNTS_APART


def test_a_backlog_that_always_takes_long_is_counted_rarely():
    assert find_pause([1.0, 1.2, 1.1]) == pytest.approx(50)


async def test_counts_that_are_kept_say_of_when_they_are(engine, operator):
    chronicle = Chronicle(engine.backend)
    await chronicle.look()
    chronicle._counts_due = float("inf")
    await enqueue(operator)
    await chronicle.look()
    first, last = tuple(chronicle._samples)[-2:]
    assert last.waiting == 0
    assert last.counted_at == first.counted_at == first.at < last.at


async def test_more_endings_than_a_look_reads_are_estimated_and_marked(engine, operator, drain, monkeypatch):
    monkeypatch.setattr(chronicles, "MOST_ENTRIES", 10)
    chronicle = Chronicle(engine.backend)
    await chronicle.look()
    await operator.post("/jobs/bulk", json={"jobs": [{"job_type": "PING"}] * 50})
    await drain()
    await chronicle.look()
    sample = chronicle._samples[-1]
    assert sample.is_estimated
    assert sum(sample.ended.values()) == pytest.approx(50, abs=1)


async def test_a_store_that_is_away_leaves_a_gap_and_not_an_error(engine):
    async def fail():
        raise OSError

    chronicle = Chronicle(fail, step=timedelta(milliseconds=10))
    assert await chronicle.read() == ()
    await chronicle.close()


async def test_what_holds_jobs_back_is_told_once_for_all_alike(engine, operator):
    for tenant in ("acme", "acme", "globex"):
        await enqueue(operator, tenant=tenant)
    await enqueue(operator, delay_seconds=3600, job_type="FAIL")
    found = await Holdups(engine.backend).find(None)
    assert [(one.code, one.count, one.tenants) for one in found if one.job_type == "PING"] == [
        ("no_worker", 3, ("acme", "globex"))
    ]
    assert [one.tenants for one in await Holdups(engine.backend).find("globex")] == [("globex",)]
