"""The app for code that is not async: across a fork, and where it is refused."""

import subprocess
import sys

import pytest

import dibs
from dibs.assembly import Dibs
from dibs.errors import BadInput

FORKING = """
import os, sys
import dibs

app = dibs.Dibs(sys.argv[1])
assert app.sync.enqueue("BEFORE").state == "pending"
child = os.fork()
if child == 0:
    job = app.sync.enqueue("IN_CHILD")
    assert app.sync.find_job(job.id) is not None
    app.sync.close()
    os._exit(0)
_, status = os.waitpid(child, 0)
assert status == 0, status
assert app.sync.enqueue("AFTER").state == "pending"
app.sync.close()
"""
# Some threads enqueue all the time, so that a fork meets them in the middle of something.
FORKING_UNDER_LOAD = """
import os, sys, threading
import dibs

app = dibs.Dibs(sys.argv[1])
app.sync.enqueue("BEFORE")
is_over = threading.Event()

def load():
    while not is_over.is_set():
        app.sync.enqueue("LOAD")

def work_in_child(number):
    app.sync.enqueue("IN_CHILD", id=f"child-{number}")
    assert app.sync.find_job(f"child-{number}") is not None
    app.sync.close()

threads = [threading.Thread(target=load) for _ in range(4)]
for thread in threads:
    thread.start()
for number in range(30):
    child = os.fork()
    if child == 0:
        try:
            work_in_child(number)
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status == 0, (number, status)
is_over.set()
for thread in threads:
    thread.join()
assert all(app.sync.find_job(f"child-{number}") for number in range(30))
app.sync.close()
"""
# The block is never left by itself, so the fork gives up waiting for it.
FORKING_IN_A_BLOCK = """
import asyncio, os, sys
import dibs
from dibs.backends.sqlite.threads import forks

forks.PATIENCE_SECONDS = 0.1

async def main():
    async with await dibs.open_backend(sys.argv[1]) as backend:
        async with backend.transactions.begin() as connection:
            await connection.execute("SELECT 1")
            child = os.fork()
            if child == 0:
                try:
                    dibs.Dibs(sys.argv[1]).sync.enqueue("IN_CHILD")
                except dibs.StoreError as error:
                    os._exit(0 if "forked while its parent" in str(error) else 1)
                os._exit(2)
            _, status = os.waitpid(child, 0)
            assert status == 0, status
        assert await backend.store_job(dibs.Job(id="after", job_type="AFTER"))

asyncio.run(main())
"""
FORKING_MEMORY = """
import os, sys
import dibs

app = dibs.Dibs("memory://")
app.sync.enqueue("BEFORE")
child = os.fork()
if child == 0:
    try:
        app.sync.enqueue("IN_CHILD")
    except dibs.NotSupported:
        os._exit(0)
    os._exit(1)
_, status = os.waitpid(child, 0)
assert status == 0, status
"""


@pytest.mark.parametrize(
    "script",
    [FORKING, FORKING_UNDER_LOAD, FORKING_IN_A_BLOCK, FORKING_MEMORY],
    ids=["at rest", "under load", "in a transaction", "with its jobs in memory"],
)
def test_a_forked_child_and_its_parent_both_go_on(tmp_path, script):
    command = [sys.executable, "-c", script, f"sqlite:///{tmp_path}/jobs.db?synchronous=normal"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr


async def test_in_async_code_it_is_refused_and_names_the_async_form():
    app = Dibs("memory://")

    @app.task("GREET")
    async def greet() -> None: ...

    with pytest.raises(BadInput, match=r"Write instead: await app\.enqueue\(…\)"):
        app.sync.enqueue("GREET")
    with pytest.raises(BadInput, match=r"await app\.wait_for\(…\)"):
        app.sync.wait_for("x")
    with pytest.raises(BadInput, match="await the coroutine itself"):
        app.sync.run(greet.enqueue())


def test_a_plain_handler_may_use_it(tmp_path):
    app = Dibs(f"sqlite:///{tmp_path}/jobs.db")

    @app.task("PARENT")
    def parent() -> str:
        child = app.sync.enqueue("CHILD", queue="elsewhere")
        assert child is not None
        return child.id

    job = app.sync.enqueue("PARENT")
    assert job is not None
    app.sync.run(app.make_worker(until_drained=True).run())
    done = app.sync.find_job(job.id)
    assert done is not None
    assert (done.state, isinstance(done.output, str)) == (dibs.State.SUCCEEDED, True)
    app.sync.close()
