"""Children that are kept alive, told to stop, and given up."""

import asyncio
import os
import signal
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from dibs.cli.supervisor import Patience, Supervisor, make_child_command, name_life
from dibs.engine.worker.options import WorkerOptions

QUICK = Patience(first=timedelta(milliseconds=1), longest=timedelta(milliseconds=5))
# Notes its birth, then waits for a signal and leaves in good order.
GOOD_CHILD = """
import os, pathlib, signal, sys
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
pathlib.Path(sys.argv[1], f"born-{os.getpid()}").touch()
signal.pause()
"""
SHORT_CHILD = "import os, pathlib, sys; pathlib.Path(sys.argv[1], f'born-{os.getpid()}').touch()"
STUBBORN_CHILD = GOOD_CHILD.replace("sys.exit(0)", "None") + "\nwhile True: signal.pause()\n"


def python(code: str, *arguments: object):
    return lambda number, life: [sys.executable, "-c", code, *map(str, arguments)]


async def births(room: Path, count: int) -> list[int]:
    """Wait until so many children have been born; gives their process ids."""
    async with asyncio.timeout(60):
        while len(found := find_born(room)) < count:
            await asyncio.sleep(0.01)
    return found


def find_born(room: Path) -> list[int]:
    born = sorted(room.glob("born-*"), key=lambda path: path.stat().st_mtime_ns)
    return [int(path.name.removeprefix("born-")) for path in born]


@pytest.fixture
async def supervise():
    """Run supervisors; what is left at the end is ended hard."""
    running = []

    def start(command, count=1):
        supervisor = Supervisor(command, count, QUICK)
        task = asyncio.create_task(supervisor.run())
        running.append((supervisor, task))
        return supervisor, task

    yield start
    for supervisor, task in running:
        if not task.done():
            supervisor.stop(signal.SIGTERM)
            supervisor.stop(signal.SIGTERM)
        await asyncio.gather(task, return_exceptions=True)


async def test_a_dead_child_is_started_again(supervise, tmp_path):
    supervisor, task = supervise(python(GOOD_CHILD, tmp_path), count=2)
    first, _ = await births(tmp_path, 2)
    os.kill(first, signal.SIGKILL)
    await births(tmp_path, 3)
    supervisor.stop(signal.SIGTERM)
    assert await task == 0


async def test_children_that_leave_in_good_order_are_not_started_again(supervise, tmp_path):
    _, task = supervise(python(SHORT_CHILD, tmp_path), count=3)
    assert await task == 0
    assert len(find_born(tmp_path)) == 3


async def test_a_signal_to_us_reaches_every_child(supervise, tmp_path):
    _, task = supervise(python(GOOD_CHILD, tmp_path), count=2)
    await births(tmp_path, 2)
    signal.raise_signal(signal.SIGTERM)
    assert await task == 0


async def test_the_second_signal_is_hard(supervise, tmp_path):
    _, task = supervise(python(STUBBORN_CHILD, tmp_path), count=2)
    await births(tmp_path, 2)
    signal.raise_signal(signal.SIGTERM)
    await asyncio.sleep(0)
    assert not task.done()
    signal.raise_signal(signal.SIGTERM)
    assert await task == 143


async def test_a_child_that_cannot_help_it_ends_all(supervise, tmp_path):
    wrong = [sys.executable, "-c", "import sys; sys.exit(2)"]
    good = python(GOOD_CHILD, tmp_path)
    _, task = supervise(lambda number, life: wrong if number == 2 else good(number, life), count=2)
    assert await task == 2


async def test_a_child_that_failed_while_stopping_is_told(supervise, tmp_path):
    failing = GOOD_CHILD.replace("sys.exit(0)", "sys.exit(70)")
    supervisor, task = supervise(python(failing, tmp_path))
    await births(tmp_path, 1)
    supervisor.stop(signal.SIGTERM)
    assert await task == 1


async def test_each_life_of_a_child_has_a_number(supervise, tmp_path):
    lives = []

    def command(number, life):
        lives.append(name_life("w", number, life))
        return python(GOOD_CHILD, tmp_path)(number, life)

    supervisor, task = supervise(command)
    for count in (1, 2):
        os.kill((await births(tmp_path, count))[-1], signal.SIGKILL)
        await births(tmp_path, count + 1)
    supervisor.stop(signal.SIGTERM)
    assert await task == 0
    assert lives == ["w-1", "w-1.2", "w-1.3"]


def test_pauses_grow_up_to_a_limit():
    patience = Patience()
    pauses = [patience.pause(failures).total_seconds() for failures in range(1, 20)]
    assert 0.4 <= pauses[0] <= 0.6
    assert pauses[0] < pauses[2] < pauses[4]
    assert max(pauses) <= 36


def test_each_child_has_a_name_a_health_file_and_a_port_of_its_own(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["dibs", "worker", "--app", "shop:app", "--processes", "2"])
    options = WorkerOptions(health_file=Path("/run/dibs/worker.json"), health_port=9000)
    [_, *rest] = make_child_command(2, 1, "host:1", options)
    assert rest[:6] == ["-m", "dibs.cli", "worker", "--app", "shop:app", "--processes"]
    assert rest[7:9] == ["--processes", "1"]
    assert rest[9:] == (
        ["--supervised", "--worker-id", "host:1-2", "--health-file", "/run/dibs/worker-2.json", "--health-port", "9001"]
    )
