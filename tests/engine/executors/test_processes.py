"""Handlers in processes of their own: what comes back, what is served, and what is left behind."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from dibs import BadInput, FailureKind, Job, LeaseLost, NotJson, PayloadTooLarge, Retryable, StoreUnavailable
from dibs.engine.executors import processes
from dibs.engine.executors.executor import WorkerCrashed
from dibs.engine.executors.processes import ProcessExecutor
from dibs.engine.failure import RemoteError, describe_error
from dibs.engine.tasks.outcome import Snooze
from dibs.engine.tasks.task import Task
from tests.engine.executors import process_tasks as tasks
from tests.engine.executors.desk import FakeDesk

# Starting a process takes long enough for tests to share two of them, and so one event loop.
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def executor() -> AsyncIterator[ProcessExecutor]:
    executor = ProcessExecutor(2)
    await executor.start()
    yield executor
    await executor.stop()


@pytest_asyncio.fixture(loop_scope="module")
async def fresh() -> AsyncIterator[ProcessExecutor]:
    executor = ProcessExecutor(1)
    yield executor
    await executor.stop()


def make_job(task: Task[Any, Any], **given: Any) -> Job:
    return Job(id="j1", job_type=task.name, input=given, attempts=2, lease_token=7)


async def call(executor: ProcessExecutor, task: Task[Any, Any], desk: FakeDesk | None = None, **given: Any) -> Any:
    return await executor.call(task, executor.make_facts(make_job(task, **given), desk or FakeDesk()), {})


def is_there(pid: int) -> bool:
    """Tell whether a process exists; one that nobody has reaped still does."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def list_descriptors() -> list[str]:
    return sorted(path.name for path in Path("/dev/fd").iterdir())


async def test_a_result_comes_back_and_the_handler_knows_its_job(executor):
    result = await call(executor, tasks.double, number=21)
    assert result == {"doubled": 42, "job": "j1", "attempt": 3, "token": 7}


@pytest.mark.parametrize("how", tasks.OUTCOMES)
async def test_an_outcome_comes_back_as_the_value_it_was(executor, how):
    assert await call(executor, tasks.end, how=how) == tasks.OUTCOMES[how]


async def test_a_refused_permit_comes_back_as_the_snooze_it_stands_for(executor):
    assert await call(executor, tasks.ask) == Snooze(reason="ebay must wait", until=tasks.REFUSED_UNTIL)


@pytest.mark.parametrize("how", sorted(set(tasks.ERRORS) - {"unreadable", "surrogate"}))
async def test_an_error_is_caught_described_and_judged_as_its_original(executor, how):
    original = tasks.ERRORS[how]
    with pytest.raises(RemoteError) as caught:
        await call(executor, tasks.fail, how=how)
    judged = tasks.fail.settings.retry.judge(make_job(tasks.fail), caught.value)
    there = tasks.fail.settings.retry.judge(make_job(tasks.fail), original)
    known = (Retryable, BadInput, LeaseLost, TimeoutError, ConnectionError)
    assert [isinstance(caught.value, one) for one in known] == [isinstance(original, one) for one in known]
    assert (judged.kind, judged.error.type, judged.error.message) == (there.kind, there.error.type, there.error.message)
    assert "raise ERRORS[how]" in judged.error.traceback


@pytest.mark.parametrize("how", ["unreadable", "surrogate"])
async def test_an_error_that_is_hard_to_describe_costs_no_process(fresh, how):
    before = await call(fresh, tasks.pid)
    with pytest.raises(RemoteError):
        await call(fresh, tasks.fail, how=how)
    assert await call(fresh, tasks.pid) == before


@pytest.mark.parametrize(("code", "kind"), [(404, FailureKind.PERMANENT), (503, FailureKind.TRANSIENT)])
async def test_a_policy_of_the_tasks_own_sees_the_real_error(executor, code, kind):
    with pytest.raises(RemoteError) as caught:
        await call(executor, tasks.fetch, code=code)
    judged = tasks.fetch.settings.retry.judge(make_job(tasks.fetch), caught.value)
    assert (judged.kind, judged.error.type, judged.error.message) == (kind, "Busy", f"{code}: the source said so")


async def test_a_policy_that_fails_itself_leaves_the_judgement_to_the_default(executor):
    with pytest.raises(RemoteError) as caught:
        await call(executor, tasks.fetch_oddly)
    assert caught.value.kind is FailureKind.PERMANENT


@pytest.mark.parametrize(
    ("what", "error"), [("object", NotJson), ("nan", NotJson), ("surrogate", NotJson), ("large", PayloadTooLarge)]
)
async def test_a_result_that_cannot_be_stored_fails_for_good(executor, what, error):
    with pytest.raises(error, match="output of job 'j1'") as caught:
        await call(executor, tasks.give, what=what)
    assert tasks.give.settings.retry.judge(make_job(tasks.give), caught.value).kind is FailureKind.PERMANENT


async def test_an_input_that_does_not_fit_is_refused_with_the_field_named(executor):
    with pytest.raises(BadInput, match=r"\$\.number"):
        await call(executor, tasks.double, number="many")


async def test_cancelling_the_call_kills_a_busy_process_and_the_next_call_has_another(executor):
    desk = FakeDesk()
    running = asyncio.create_task(call(executor, tasks.hang, desk))
    pid = await desk.said.get()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not is_there(pid)
    assert await call(executor, tasks.pid) != pid


async def test_a_call_that_is_cancelled_while_its_process_starts_leaves_none(fresh, monkeypatch):
    started: asyncio.Queue[processes.HandlerProcess] = asyncio.Queue()
    wait_until_ready = processes.HandlerProcess.wait_until_ready

    async def tell(process: processes.HandlerProcess) -> None:
        started.put_nowait(process)
        await wait_until_ready(process)

    monkeypatch.setattr(processes.HandlerProcess, "wait_until_ready", tell)
    running = asyncio.create_task(call(fresh, tasks.pid))
    process = await started.get()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not is_there(process._child.pid)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"number": signal.SIGSEGV.value}, r"died by signal 11 \(SIGSEGV\)"),
        ({"number": signal.SIGTERM.value}, r"died by signal 15 \(SIGTERM\)"),
        ({"number": signal.SIGKILL.value}, r"died by signal 9 \(SIGKILL\); if nobody sent it, .* memory"),
        ({"code": 3}, "died with exit code 3"),
        ({"code": 0}, "died with exit code 0"),
    ],
)
async def test_a_handler_that_takes_its_process_down_is_told_apart_and_costs_one_process(fresh, given, told):
    before = await call(fresh, tasks.pid)
    with pytest.raises(WorkerCrashed, match=f"the process running this job {told}"):
        await call(fresh, tasks.die, **given)
    assert not is_there(before)
    assert await call(fresh, tasks.pid) != before


async def test_a_death_is_seen_although_a_forked_process_holds_the_line(fresh):
    desk = FakeDesk()
    with pytest.raises(WorkerCrashed, match="exit code 9"):
        await call(fresh, tasks.die_with_heir, desk)
    os.kill(desk.said.get_nowait(), signal.SIGKILL)


@pytest.mark.parametrize("text", ["Hello, world", "\0\0\0\3[1]"])
async def test_a_process_that_writes_into_its_line_counts_as_dead(fresh, text):
    with pytest.raises(WorkerCrashed, match="broke its line to the worker"):
        await asyncio.wait_for(call(fresh, tasks.babble, text=text), 20)
    assert await call(fresh, tasks.pid)


async def test_a_process_that_died_while_idle_costs_no_job(fresh):
    pid = await call(fresh, tasks.pid)
    [process] = fresh._living
    os.kill(pid, signal.SIGKILL)
    await asyncio.wait([process.gone], timeout=60)
    assert await call(fresh, tasks.pid) != pid


async def test_a_process_that_cannot_start_is_no_crash_of_the_job(fresh, monkeypatch):
    monkeypatch.setattr(processes, "BOOT", "raise SystemExit(5)")
    with pytest.raises(Retryable, match=r"no process could be started for this job: .* exit code 5"):
        await call(fresh, tasks.pid)


async def test_progress_and_heartbeats_are_served_while_the_handler_runs(executor):
    desk = FakeDesk()
    await call(executor, tasks.talk, desk, steps=3)
    assert [desk.said.get_nowait() for _ in range(3)] == [{"step": 0}, {"step": 1}, {"step": 2}]
    assert desk.beats == 3


async def test_a_lost_lease_is_raised_in_the_handler(executor):
    desk = FakeDesk(refusal=LeaseLost("job 'j1' is not ours any more"))
    with pytest.raises(LeaseLost, match="not ours any more") as caught:
        await call(executor, tasks.talk, desk, steps=3)
    assert desk.beats == 1
    assert "ctx.heartbeat()" in describe_error(caught.value).traceback


async def test_a_child_job_is_stored_with_the_options_that_were_given_and_no_others(executor):
    desk = FakeDesk()
    assert await call(executor, tasks.branch, desk, unique_key="free") == ["child", "double", {"number": 4}]
    options = {"unique_key": "free", "delay": timedelta(seconds=90), "priority": 3}
    assert desk.enqueued == [("double", {"number": 4}, options)]
    assert await call(executor, tasks.branch, desk, unique_key="taken") is None


@pytest.mark.parametrize(
    ("how", "told"), [("unknown", "'colour'"), ("connection", "cannot be handed"), ("unfit", r"\$\.priority")]
)
async def test_options_that_cannot_be_handed_over_are_refused_in_the_handler(executor, how, told):
    with pytest.raises(BadInput, match=told):
        await call(executor, tasks.branch_badly, how=how)


@pytest.mark.parametrize(
    ("refusal", "told"),
    [
        (StoreUnavailable("down"), ["StoreUnavailable", "down"]),
        (RuntimeError("odd"), ["DibsError", "RuntimeError: odd"]),
    ],
)
async def test_a_handler_may_catch_what_the_worker_could_not_do(executor, refusal, told):
    assert await call(executor, tasks.try_to_enqueue, FakeDesk(refusal)) == told


async def test_a_handler_learns_that_it_is_cancelled(executor):
    desk = FakeDesk()
    facts = executor.make_facts(make_job(tasks.wait), desk)
    running = asyncio.create_task(executor.call(tasks.wait, facts, {}))
    assert await desk.said.get() == "waiting"
    facts.cancel()
    assert await running == "told"


async def test_a_handler_that_was_cancelled_before_it_began_learns_it_too(executor):
    facts = executor.make_facts(make_job(tasks.talk, steps=100_000), FakeDesk())
    facts.cancel()
    with pytest.raises(LeaseLost):
        await executor.call(tasks.talk, facts, {})


async def test_a_thread_left_behind_cannot_speak_in_the_name_of_the_next_job(fresh):
    desk = FakeDesk()
    await call(fresh, tasks.linger, desk)
    assert await call(fresh, tasks.look_back, desk) == ["LeaseLost"]
    assert desk.beats == 0


async def test_calls_in_parallel_share_the_processes_there_are(executor):
    pids = await asyncio.gather(*(call(executor, tasks.pid) for _ in range(50)))
    assert len(set(pids)) == 2
    assert os.getpid() not in pids


async def test_no_process_is_started_before_one_is_needed(fresh):
    assert not fresh._living
    pids = {await call(fresh, tasks.pid) for _ in range(5)}
    assert len(pids) == len(fresh._living) == 1


async def test_an_executor_without_processes_is_refused():
    with pytest.raises(BadInput, match="0 processes"):
        ProcessExecutor(0)


async def test_a_process_ignores_the_interrupt_and_keeps_the_default_for_the_rest(executor):
    assert await call(executor, tasks.interrupt) == str(signal.SIG_DFL)


async def test_stop_leaves_no_process_and_no_descriptor():
    before = list_descriptors()
    executor, desk = ProcessExecutor(3), FakeDesk()
    running = asyncio.create_task(call(executor, tasks.hang, desk))
    pids = [await desk.said.get(), *await asyncio.gather(*(call(executor, tasks.pid) for _ in range(10)))]
    with pytest.raises(WorkerCrashed):
        await call(executor, tasks.die, code=1)
    await executor.stop()
    with pytest.raises(WorkerCrashed, match="SIGKILL"):
        await running
    assert not any(is_there(pid) for pid in pids)
    assert list_descriptors() == before


async def test_stop_kills_a_process_that_does_not_leave_in_time(monkeypatch):
    monkeypatch.setattr(processes, "PARTING_SECONDS", 0.05)
    executor = ProcessExecutor(1)
    pid = await call(executor, tasks.stay)
    await executor.stop()
    assert not is_there(pid)


async def test_two_thousand_quick_calls(executor):
    await asyncio.gather(*(call(executor, tasks.pid) for _ in range(2)))
    started = time.perf_counter()
    pids = await asyncio.gather(*(call(executor, tasks.pid) for _ in range(2_000)))
    assert len(set(pids)) == 2
    print(f"\n{2_000 / (time.perf_counter() - started):,.0f} calls a second in 2 processes")  # noqa: T201
