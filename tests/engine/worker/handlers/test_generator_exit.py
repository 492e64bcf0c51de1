"""GeneratorExit out of a handler. In a process of its own: pytest's event loop takes it for the end of a generator."""

import subprocess
import sys

import pytest

SCRIPT = """
import asyncio, sys
import dibs

app = dibs.Dibs("memory://")

@app.task("async", max_retries=0)
async def odd():
    raise GeneratorExit

@app.task("thread", max_retries=0)
def odd_in_a_thread():
    raise GeneratorExit

@app.task("FINE")
async def fine():
    return "fine"

async def main():
    async with app:
        worker = app.make_worker(concurrency=1, threads=1)
        running = asyncio.create_task(worker.run())
        for _ in range(2):
            odd = await app.enqueue(sys.argv[1])
            ended = await app.wait_for(odd.id, timeout=60)
            assert (ended.state, ended.error.type) == ("failed", "GeneratorExit"), ended
            good = await fine.enqueue()
            assert (await app.wait_for(good.id, timeout=60)).output == "fine"
        worker.stop()
        await asyncio.wait_for(running, 60)

asyncio.run(main())
"""


@pytest.mark.parametrize("mode", ["async", "thread"])
def test_it_ends_its_job_and_frees_its_slot(mode: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT, mode], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
