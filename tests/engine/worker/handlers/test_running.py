"""What a worker makes of what handlers do."""

import asyncio
import socket
import threading
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pydantic import BaseModel

from dibs import FailureKind, Job, JobFilter, PageRequest, Permanent, PermitRefused, Retryable, RetryPolicy, State
from dibs.assembly import Dibs
from dibs.engine.app import App
from dibs.engine.tasks.blueprint import Blueprint
from dibs.engine.tasks.outcome import Cancel, Fail, Snooze
from dibs.errors import BadInput, PayloadTooDeep
from tests.engine.worker.conftest import at_work, finish, reach, run_all

AT_ONCE = RetryPolicy(base=timedelta(0))


async def test_an_async_handler_gets_its_arguments_and_its_result_is_kept(app: App) -> None:
    @app.task("ADD")
    async def add(ctx: Any, left: int, right: int = 10) -> dict[str, Any]:
        return {"sum": left + right, "attempt": ctx.attempt, "job": ctx.job.id, "token": ctx.token}

    job = await add.enqueue(left=1)
    await run_all(app)
    done = await finish(app, job)
    assert done.output == {"sum": 11, "attempt": 1, "job": done.id, "token": done.lease_token}


async def test_a_plain_handler_runs_in_a_thread_and_does_not_block_the_others(app: App) -> None:
    gate = threading.Event()

    @app.task("BLOCK")
    def block() -> str:
        assert gate.wait(60)
        return threading.current_thread().name

    @app.task("OPEN")
    async def open_gate() -> None:
        gate.set()

    blocked, _ = await block.enqueue(), await open_gate.enqueue()
    await run_all(app)
    assert (await finish(app, blocked)).output == "dibs-handler"


async def test_an_input_that_does_not_fit_fails_for_good_with_the_field_named(app: App) -> None:
    @app.task("TYPED")
    async def typed(count: int) -> None: ...

    backend = await app.backend()
    await backend.store_job(Job(id="bad", job_type="TYPED", input={"count": "many"}))
    await run_all(app)
    job = await backend.get_job("bad")
    assert (job.state, job.attempts) == (State.FAILED, 1)
    assert job.error is not None
    assert "$.count" in job.error.message


async def test_arguments_that_do_not_fit_are_refused_where_they_are_enqueued(app: App) -> None:
    @app.task("TYPED")
    async def typed(count: int) -> None: ...

    with pytest.raises(BadInput, match=r"\$\.count"):
        await typed.enqueue(count="many")
    with pytest.raises(BadInput, match="unknown field"):
        await app.enqueue("TYPED", {"count": 1, "extra": 2})
    with pytest.raises(BadInput, match="no option 'prioritty'"):
        await typed.options(prioritty=3).enqueue(count=1)


async def test_records_of_msgspec_and_pydantic_are_checked(app: App) -> None:
    class Point(msgspec.Struct):
        x: int

    class Person(BaseModel):
        age: int

    @app.task("MEET")
    async def meet(point: Point, person: Person) -> int:
        return point.x + person.age

    job = await meet.enqueue(point=Point(2), person=Person(age=40))
    with pytest.raises(BadInput, match="age"):
        await app.enqueue("MEET", {"point": {"x": 1}, "person": {"age": "old"}})
    await run_all(app)
    assert (await finish(app, job)).output == 42


@pytest.mark.parametrize(
    ("outcome", "state"),
    [(Cancel("gone"), State.CANCELLED), (Fail("never"), State.FAILED), (Snooze(timedelta(hours=1)), State.PENDING)],
)
async def test_outcomes_are_values(app: App, outcome: object, state: State) -> None:
    @app.task("SAY")
    async def say() -> object:
        return outcome

    job = await say.enqueue()
    await run_all(app)
    said = await reach(app, job, state)
    assert said.attempts == (1 if state is State.FAILED else 0)


async def test_a_transient_error_is_retried_and_a_permanent_one_is_not(app: App) -> None:
    calls: list[str] = []

    @app.task("FLAKY", retry=AT_ONCE)
    async def flaky() -> None:
        calls.append("flaky")
        if len(calls) < 3:
            raise Retryable("busy")

    @app.task("HOPELESS", retry=AT_ONCE)
    async def hopeless() -> None:
        raise Permanent("never")

    first, second = await flaky.enqueue(), await hopeless.enqueue()
    await run_all(app)
    assert ((await finish(app, first)).state, calls) == (State.SUCCEEDED, ["flaky"] * 3)
    failed = await finish(app, second)
    assert (failed.state, failed.attempts) == (State.FAILED, 1)
    assert failed.error is not None
    assert "hopeless" in failed.error.traceback


async def test_a_result_that_is_not_json_fails_the_job(app: App) -> None:
    @app.task("ODD")
    async def odd() -> object:
        return object()

    job = await odd.enqueue()
    await run_all(app)
    failed = await finish(app, job)
    assert failed.error is not None
    assert (failed.state, failed.error.type) == (State.FAILED, "NotJson")


def nested(levels: int) -> Any:
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("levels", [300, 100_000])
async def test_an_input_nested_too_deep_is_refused_by_every_enqueue(app: App, levels: int) -> None:
    @app.task("ANYTHING")
    async def take(what: Any) -> None: ...

    @app.task("LISTS")
    async def take_lists(what: list[list[list[Any]]]) -> None: ...

    deep = nested(levels)
    for enqueue in (
        lambda: take.enqueue(what=deep),
        lambda: take_lists.enqueue(what=deep),
        lambda: take.enqueue_many([{"what": deep}]),
        lambda: app.enqueue("ANYTHING", {"what": deep}),
        lambda: app.enqueue("UNKNOWN", deep),
        lambda: app.enqueue("LISTS", {"what": deep}),
    ):
        with pytest.raises(PayloadTooDeep, match="more than 128 objects and lists within each other"):
            await enqueue()
    assert not any((await (await app.backend()).reader.count_jobs(JobFilter())).values())


async def test_a_result_nested_too_deep_fails_the_job(app: App) -> None:
    @app.task("DEEP")
    async def deep() -> Any:
        return nested(100_000)

    job = await deep.enqueue()
    await run_all(app)
    failed = await finish(app, job)
    assert failed.error is not None
    assert (failed.state, failed.error.type) == (State.FAILED, "PayloadTooDeep")


async def test_an_exit_in_a_handler_is_an_error_like_any_other(app: App) -> None:
    @app.task("EXIT", max_retries=0)
    async def leave() -> None:
        raise SystemExit(3)

    job = await leave.enqueue()
    await run_all(app)
    assert (await finish(app, job)).state is State.FAILED


async def test_a_handler_that_hangs_is_ended_by_its_timeout(app: App) -> None:
    stopped = asyncio.Event()

    @app.task("HANG", timeout=0.05, max_retries=0)
    async def hang() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            stopped.set()

    @app.task("HANG_IN_A_THREAD", timeout=0.05, max_retries=0)
    def hang_in_a_thread() -> None:
        while True:
            time.sleep(0.01)

    jobs = [await hang.enqueue(), await hang_in_a_thread.enqueue()]
    await run_all(app)
    for job in jobs:
        failed = await finish(app, job)
        assert failed.error is not None
        assert (failed.state, failed.error.type) == (State.FAILED, "TimeoutError")
    assert stopped.is_set()


async def test_a_handler_that_will_not_listen_is_told_again(app: App) -> None:
    told = 0

    @app.task("DEAF", timeout=0.02, max_retries=0)
    async def deaf() -> None:
        nonlocal told
        while told < 2:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                told += 1

    job = await deaf.enqueue()
    async with at_work(app):
        await finish(app, job)
    assert told == 2


async def test_an_operators_cancel_reaches_the_handler_at_once(app: App) -> None:
    started, stopped = asyncio.Event(), asyncio.Event()

    @app.task("LONG")
    async def long(ctx: Any) -> None:
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            assert ctx.is_cancelled
            stopped.set()

    job = await long.enqueue()
    assert job is not None
    async with at_work(app):
        await asyncio.wait_for(started.wait(), 60)
        await (await app.backend()).cancel_job(job.id, actor="op", reason="not needed")
        await asyncio.wait_for(stopped.wait(), 60)
    assert (await finish(app, job)).state is State.CANCELLED


async def test_progress_children_and_heartbeats_go_through_the_context(app: App) -> None:
    @app.task("PARENT")
    async def parent(ctx: Any) -> None:
        await ctx.report_progress({"done": 1})
        await ctx.heartbeat()
        await ctx.enqueue("CHILD", {"n": 1})

    @app.task("CHILD")
    def child(ctx: Any, n: int) -> str:
        ctx.report_progress(n)
        ctx.heartbeat()
        return str(ctx.job.parent_id)

    job = await parent.options(tenant="acme").enqueue()
    await run_all(app)
    done = await finish(app, job)
    backend = await app.backend()
    [born] = (await backend.reader.list_jobs(JobFilter(parent_id=done.id), PageRequest())).items
    assert (done.progress, born.tenant, born.output, born.progress) == ({"done": 1}, "acme", done.id, 1)


async def test_middleware_stands_around_every_handler(app: App) -> None:
    seen: list[str] = []

    @app.add_middleware
    async def outer(ctx: Any, call_next: Any) -> Any:
        seen.append(f"before {ctx.job.job_type}")
        result = await call_next()
        seen.append("after")
        return {"wrapped": result}

    @app.add_middleware
    async def inner(ctx: Any, call_next: Any) -> Any:
        seen.append("inner")
        return await call_next()

    @app.task("TASK")
    def task() -> int:
        return 7

    job = await task.enqueue()
    await run_all(app)
    assert (await finish(app, job)).output == {"wrapped": 7}
    assert seen == ["before TASK", "inner", "after"]


async def test_tasks_of_a_blueprint_join_an_app_later(app: App) -> None:
    blueprint = Blueprint()

    @blueprint.task("LATE", queue="slow", priority=3, max_retries=1)
    async def late() -> str:
        return "there"

    with pytest.raises(BadInput, match="include"):
        await late.enqueue()
    app.include(blueprint)
    job = await late.enqueue()
    assert job is not None
    assert (job.queue, job.priority, job.max_retries) == ("slow", 3, 1)
    await run_all(app)
    assert (await finish(app, job)).output == "there"
    with pytest.raises(BadInput, match="two tasks"):

        @app.task("LATE")
        async def other() -> None: ...


async def test_many_are_enqueued_in_one_go(app: App) -> None:
    @app.task("DOUBLE")
    async def double(n: int) -> int:
        return 2 * n

    jobs = await double.options(priority=1).enqueue_many([{"n": n} for n in range(50)])
    jobs += await app.enqueue_many("DOUBLE", [{"n": n} for n in range(50)])
    await run_all(app)
    outputs = [(await finish(app, job)).output for job in jobs]
    assert outputs == [2 * n for n in range(50)] * 2


def test_code_that_is_not_async_uses_the_sync_face() -> None:
    app = Dibs("memory://")

    @app.task("HELLO")
    async def hello(name: str) -> str:
        return f"hello {name}"

    job = app.sync.enqueue("HELLO", {"name": "ann"}, priority=2)
    assert job is not None
    assert app.sync.find_job(job.id) == job
    app.sync.run(app.make_worker(until_drained=True).run())
    assert app.sync.wait_for(job.id, timeout=60).output == "hello ann"
    app.sync.close()


async def test_a_policy_of_the_task_decides_what_an_error_means(app: App) -> None:
    policy = RetryPolicy(classify=lambda _: FailureKind.PERMANENT)

    @app.task("STRICT", retry=policy)
    async def strict() -> None:
        raise TimeoutError

    job = await strict.enqueue()
    await run_all(app)
    assert (await finish(app, job)).attempts == 1


async def test_middleware_that_is_not_async_fails_the_job_by_its_name(app: App) -> None:
    @app.task("FINE")
    async def fine() -> None: ...

    def plain(ctx: Any, call_next: Any) -> Any:
        return 5

    app.add_middleware(plain)
    job = await fine.enqueue()
    await run_all(app)
    failed = await finish(app, job)
    assert failed.error is not None
    assert (failed.attempts, failed.error.type) == (1, "BadInput")
    assert "plain is not async" in failed.error.message


def test_middleware_that_does_not_take_what_it_gets_is_refused() -> None:
    async def lonely(ctx: Any) -> None: ...

    not_middleware: Any = lonely
    with pytest.raises(BadInput, match=r"lonely does not take \(ctx, call_next\)"):
        Dibs("memory://").add_middleware(not_middleware)


class OddError(BaseException):
    """Not an Exception."""


@pytest.mark.parametrize("error", [OddError, KeyboardInterrupt, asyncio.CancelledError, StopIteration])
@pytest.mark.parametrize("mode", ["async", "thread"])
async def test_whatever_a_handler_raises_ends_its_job_and_frees_its_slot(
    app: App, error: type[BaseException], mode: str
) -> None:
    if mode == "async":

        @app.task("ODD", max_retries=0)
        async def odd() -> None:
            raise error

    else:

        @app.task("ODD", max_retries=0)
        def odd_in_a_thread() -> None:
            raise error

    @app.task("FINE")
    async def fine() -> str:
        return "fine"

    job = await app.enqueue("ODD")
    async with at_work(app, concurrency=1, threads=1):
        assert (await finish(app, job)).state is State.FAILED
        assert (await finish(app, await fine.enqueue())).output == "fine"
        again = await app.enqueue("ODD")
        assert (await finish(app, again)).state is State.FAILED


async def test_a_handler_that_never_listens_is_left_behind(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dibs.engine.worker.holdings.MOST_INSISTING", 1)
    let_go = asyncio.Event()

    @app.task("DEAF", timeout=0.02, max_retries=0)
    async def deaf() -> None:
        while not let_go.is_set():
            try:
                await let_go.wait()
            except asyncio.CancelledError:
                continue

    job = await deaf.enqueue()
    async with at_work(app, concurrency=1):
        failed = await finish(app, job)
        let_go.set()
    assert failed.error is not None
    assert (failed.state, failed.error.type) == (State.FAILED, "TimeoutError")


async def test_a_snooze_without_a_duration_is_an_error(app: App) -> None:
    @app.task("NAP", max_retries=0)
    async def nap() -> Snooze:
        five: Any = 5
        return Snooze(five)

    job = await nap.enqueue()
    await run_all(app)
    failed = await finish(app, job)
    assert failed.error is not None
    assert (failed.state, "delay of Snooze" in failed.error.message) == (State.FAILED, True)


@pytest.mark.parametrize("is_async", [True, False])
async def test_a_job_whose_permit_is_refused_waits_until_the_instant_at_no_cost(app: App, is_async: bool) -> None:
    backend = await app.backend()
    until = await backend.reader.now() + timedelta(hours=1)

    def refuse() -> None:
        raise PermitRefused("ebay must wait", source="ebay", until=until)

    async def refuse_later() -> None:
        refuse()

    ask = app.task("ASK", max_retries=0)(refuse_later if is_async else refuse)
    job = await ask.enqueue()
    assert job is not None
    await run_all(app)
    waiting = await backend.get_job(job.id)
    assert waiting.run_at is not None
    assert (waiting.state, waiting.attempts) == (State.PENDING, 0)
    assert until <= waiting.run_at < until + timedelta(seconds=5)


async def test_a_job_whose_source_nobody_knows_about_waits_a_little(app: App) -> None:
    @app.task("ASK")
    async def ask() -> None:
        raise PermitRefused("ebay is disabled", source="ebay")

    job = await ask.enqueue()
    assert job is not None
    await run_all(app)
    backend = await app.backend()
    waiting = await backend.get_job(job.id)
    assert waiting.run_at is not None
    assert (waiting.state, waiting.attempts) == (State.PENDING, 0)
    assert waiting.run_at > await backend.reader.now()


@pytest.mark.parametrize("until", ["tomorrow", datetime(2030, 1, 1)])  # noqa: DTZ001 - that is the mistake
async def test_a_snooze_until_no_instant_is_an_error(app: App, until: Any) -> None:
    @app.task("NAP", max_retries=0)
    async def nap() -> Snooze:
        return Snooze(until=until)

    job = await nap.enqueue()
    await run_all(app)
    failed = await finish(app, job)
    assert failed.error is not None
    assert (failed.state, "until of Snooze" in failed.error.message) == (State.FAILED, True)


async def test_an_instant_that_has_passed_means_now(app: App) -> None:
    until = await (await app.backend()).reader.now() - timedelta(hours=1)
    ran = 0

    @app.task("ASK")
    async def ask() -> Snooze | int:
        nonlocal ran
        ran += 1
        return ran if ran > 1 else Snooze(until=until)

    job = await ask.enqueue()
    await run_all(app)
    assert (await finish(app, job)).output == 2


async def test_a_worker_whose_health_file_cannot_be_written_does_not_start(app: App, tmp_path: Path) -> None:
    @app.task("FINE")
    async def fine() -> None: ...

    with pytest.raises(BadInput, match="Choose another health file"):
        await app.make_worker(health_file=tmp_path / "nowhere" / "health.json").run()


async def test_a_worker_whose_health_port_is_taken_does_not_start(app: App) -> None:
    @app.task("FINE")
    async def fine() -> None: ...

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(BadInput, match="Choose another health port"):
            await app.make_worker(health_port=taken.getsockname()[1]).run()
