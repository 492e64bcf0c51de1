"""A worker process for the tests: python program.py URL EFFECTS. Its handlers write a line to EFFECTS each time."""

import asyncio
import os
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

from dibs.assembly import Dibs

url, effects = sys.argv[1], Path(sys.argv[2])
app = Dibs(url)


def note(*words: object) -> None:
    with effects.open("a") as lines:
        lines.write(" ".join(str(word) for word in words) + "\n")


@app.task("COUNT", max_retries=0)
async def count(ctx: Any, n: int) -> int:
    note("ran", ctx.job.id, app.settings.worker_id)
    await asyncio.sleep(0.001)
    return n


@app.task("HOLD")
async def hold(ctx: Any) -> str:
    """Hold the job until a file says go on; in a second execution, be done at once."""
    note("in", ctx.job.id, ctx.attempt)
    if ctx.attempt > 1:
        return "second"
    try:
        while not effects.with_suffix(".go").exists():
            await asyncio.sleep(0.01)
        await ctx.report_progress("late")
    except BaseException as error:
        note("stopped", ctx.job.id, type(error).__name__)
        raise
    note("out", ctx.job.id)
    return "first"


@app.task("BLOCK")
async def block(ctx: Any, seconds: float) -> str:
    note("in", ctx.job.id, ctx.attempt)
    time.sleep(seconds)  # noqa: ASYNC251 - blocking the loop is the point
    return "done"


def main() -> None:
    options: dict[str, Any] = {
        "poll": timedelta(seconds=0.1),
        "beat": timedelta(seconds=float(os.environ.get("BEAT", "0.3"))),
        "sweep": timedelta(seconds=0.3),
        "grace": timedelta(seconds=float(os.environ.get("GRACE", "5"))),
        "concurrency": 10,
    }
    note("started", app.settings.worker_id, os.getpid())
    asyncio.run(app.run_worker(**options))
    note("left", app.settings.worker_id)


if __name__ == "__main__":
    main()
