"""How another process finds a task, and what becomes of it when its worker is gone."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dibs import BadInput, Job
from dibs.engine.executors.messages import Place
from dibs.engine.executors.places import find_place, load_task
from dibs.engine.executors.processes import ProcessExecutor
from tests.engine.executors import process_tasks as tasks
from tests.engine.executors.desk import FakeDesk

PROGRAM = """
import asyncio
import os
import sys
import threading

from dibs import Job
from dibs.engine.executors.processes import ProcessExecutor
from dibs.engine.tasks.blueprint import Blueprint

tasks = Blueprint()


@tasks.task("greet", cpu_bound=True)
def greet(name: str) -> str:
    return f"hello {name} from {__name__}"


@tasks.task("hold", cpu_bound=True)
def hold() -> None:
    print("holding", flush=True)
    threading.Event().wait()


async def main(how: str) -> None:
    executor = ProcessExecutor(1)
    print(await call(executor, greet, name="you"), flush=True)
    if how == "busy":
        await call(executor, hold)
    if how == "idle":
        print("holding", flush=True)
        await asyncio.Event().wait()
    await executor.stop()


async def call(executor, task, **given):
    return await executor.call(task, executor.make_facts(Job(job_type=task.name, input=given), None), {})


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
"""


def make_program(folder: Path) -> Path:
    program = folder / "package" / "program.py"
    program.parent.mkdir()
    program.write_text(PROGRAM)
    return program


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *command], cwd=cwd, capture_output=True, text=True, timeout=60, check=False)


def make_facts(executor: ProcessExecutor, job_type: str, **given: Any) -> Any:
    return executor.make_facts(Job(job_type=job_type, input=given), FakeDesk())


def test_a_task_is_found_by_module_and_name():
    place = find_place(tasks.double)
    assert place == Place(module="tests.engine.executors.process_tasks", attribute="double")
    assert load_task(place) is tasks.double


def test_a_task_is_found_under_another_name_than_its_handlers():
    place = find_place(tasks.plain_task)
    assert place.attribute == "plain_task"
    assert load_task(place) is tasks.plain_task


@pytest.mark.parametrize("task", [tasks.make_local_task(), tasks.NAMELESS[0]], ids=lambda task: task.name)
async def test_a_handler_without_a_place_is_refused_before_a_process_is_started(task):
    executor = ProcessExecutor(1)
    with pytest.raises(BadInput, match="Define it at module level"):
        await executor.call(task, make_facts(executor, task.name), {})
    assert not executor._living


def test_a_name_that_holds_no_task_in_the_new_process_is_told():
    with pytest.raises(BadInput, match="finds no task 'gone'"):
        load_task(Place(module="tests.engine.executors.process_tasks", attribute="gone"))


async def test_a_process_looks_for_modules_where_its_worker_does_and_reads_no_input():
    executor = ProcessExecutor(1)
    around = await executor.call(tasks.look_around, make_facts(executor, "look_around"), {})
    await executor.stop()
    assert around == {"path": sys.path, "main": None}


def test_a_task_of_the_main_script_runs_without_running_the_script(tmp_path):
    ran = run(str(make_program(tmp_path)), "once", cwd=tmp_path)
    assert (ran.stdout, ran.stderr) == ("hello you from __dibs_main__\n", "")


def test_a_task_of_a_main_module_is_imported_by_its_name(tmp_path):
    make_program(tmp_path)
    ran = run("-m", "package.program", "once", cwd=tmp_path)
    assert (ran.stdout, ran.stderr) == ("hello you from package.program\n", "")


def test_a_task_that_was_typed_in_is_refused(tmp_path):
    ran = run("-c", PROGRAM, "once", cwd=tmp_path)
    assert "BadInput: task 'greet' is CPU-bound and defined in __main__" in ran.stderr


def test_files_in_the_working_directory_do_not_stand_in_for_modules(tmp_path):
    program = make_program(tmp_path)
    (tmp_path / "signal.py").write_text("raise RuntimeError('the wrong module')")
    assert run(str(program), "once", cwd=tmp_path).stdout == "hello you from __dibs_main__\n"


@pytest.mark.parametrize("how", ["busy", "idle"])
def test_a_process_ends_when_its_worker_is_killed(tmp_path, how):
    program = str(make_program(tmp_path))
    worker = subprocess.Popen([sys.executable, program, how], stdout=subprocess.PIPE, text=True)
    assert worker.stdout is not None
    while worker.stdout.readline() != "holding\n":
        assert worker.poll() is None
    os.kill(worker.pid, signal.SIGKILL)
    # The child holds the same pipe: its end is read when both are gone.
    assert worker.communicate(timeout=60)[0] == ""
