"""The tasks that handlers run in: few when nobody waits, one for each that does."""

import asyncio
from contextvars import ContextVar

import pytest

from dibs.engine.executors.executor import WorkerDied
from dibs.engine.worker import runners
from dibs.engine.worker.runners import Runners

PATIENCE = 60.0
tenant: ContextVar[str] = ContextVar("tenant", default="nobody")


async def test_work_that_never_waits_shares_a_task() -> None:
    seen: list[asyncio.Task[None] | None] = []

    async def note(_: int) -> None:
        seen.append(asyncio.current_task())

    crew = Runners(note)
    for number in range(100):
        crew.put(number)
    await crew.wait(PATIENCE)
    assert len(seen) == 100
    assert len(set(seen)) == 1


async def test_work_that_waits_holds_nobody_up_and_keeps_its_task_to_itself() -> None:
    everybody_waits, waiting = asyncio.Event(), 0
    began: list[asyncio.Task[None] | None] = []
    ended: list[asyncio.Task[None] | None] = []

    async def meet(_: int) -> None:
        nonlocal waiting
        began.append(asyncio.current_task())
        waiting += 1
        if waiting == 10:
            everybody_waits.set()
        await everybody_waits.wait()
        ended.append(asyncio.current_task())

    crew = Runners(meet)
    for number in range(10):
        crew.put(number)
    await crew.wait(PATIENCE)
    assert len(set(began)) == 10
    assert set(ended) == set(began)


async def test_a_task_that_has_waited_takes_no_other_work() -> None:
    tasks: list[asyncio.Task[None] | None] = []

    async def nap(_: int) -> None:
        tasks.append(asyncio.current_task())
        await asyncio.sleep(0)

    crew = Runners(nap)
    for number in range(5):
        crew.put(number)
        await crew.wait(PATIENCE)
    assert len(set(tasks)) == 5


async def test_what_one_sets_among_context_variables_the_next_does_not_see() -> None:
    seen: list[str] = []

    async def look(name: str) -> None:
        seen.append(tenant.get())
        tenant.set(name)
        if name == "b":
            await asyncio.sleep(0)
        seen.append(tenant.get())

    crew = Runners(look)
    for name in "abc":
        crew.put(name)
    await crew.wait(PATIENCE)
    assert sorted(seen) == ["a", "b", "c", "nobody", "nobody", "nobody"]


async def test_a_stop_that_one_did_not_notice_does_not_hit_the_next() -> None:
    done: list[int] = []

    async def work(number: int) -> None:
        if number == 0:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
        else:
            await asyncio.sleep(0)
        done.append(number)

    crew = Runners(work)
    for number in range(3):
        crew.put(number)
    await crew.wait(PATIENCE)
    assert done == [0, 1, 2]


async def test_a_cancellation_reaches_the_one_that_waits_and_only_that() -> None:
    tasks: dict[int, asyncio.Task[None] | None] = {}
    go_on, told = asyncio.Event(), []

    async def work(number: int) -> None:
        tasks[number] = asyncio.current_task()
        try:
            await go_on.wait()
        except asyncio.CancelledError:
            told.append(number)

    crew = Runners(work)
    for number in range(3):
        crew.put(number)
    while len(tasks) < 3:
        await asyncio.sleep(0)
    task = tasks[1]
    assert task is not None
    task.cancel()
    await asyncio.sleep(0)
    go_on.set()
    await crew.wait(PATIENCE)
    assert told == [1]


async def test_one_that_dies_takes_nobody_with_it() -> None:
    done: list[int] = []

    async def work(number: int) -> None:
        if number == 1:
            raise WorkerDied
        done.append(number)

    crew = Runners(work)
    for number in range(4):
        crew.put(number)
    tasks: set[asyncio.Task[None]] = set()
    while crew.tasks:
        tasks |= crew.tasks
        await asyncio.sleep(0)
    assert done == [0, 2, 3]
    assert [type(task.exception()) for task in tasks if task.exception()] == [WorkerDied]


async def test_work_that_never_waits_still_lets_the_event_loop_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runners, "LONGEST_TURN_SECONDS", 0.0)
    done: list[int] = []

    async def work(number: int) -> None:
        done.append(number)

    crew = Runners(work)
    for number in range(10):
        crew.put(number)
    await asyncio.sleep(0)
    assert len(done) < 10
    await crew.wait(PATIENCE)
    assert len(done) == 10


async def test_waiting_for_the_end_has_an_end() -> None:
    async def stay(_: int) -> None:
        await asyncio.Event().wait()

    crew = Runners(stay)
    crew.put(1)
    await crew.wait(0.01)
    [task] = crew.tasks
    task.cancel()
    await crew.wait(PATIENCE)
    assert not crew.tasks
