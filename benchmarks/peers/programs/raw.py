"""The limit of each store: a bare loop of batched claim and completion, with our row width, order and durability."""

import asyncio
import json
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

BATCH = 500
MODULES = {"postgresql": "postgres", "redis": "redis", "sqlite": "sqlite"}
# A program that is started by its file does not see the folder in which the benchmarks lie.
sys.path.insert(0, str(Path(__file__).resolve().parents[3]))


def tell(**facts: Any) -> None:
    print(json.dumps(facts), flush=True)


async def store(raw: Any, jobs: int) -> None:
    begin = time.perf_counter()
    for _ in range(0, jobs, BATCH):
        await raw.store(BATCH, {})
    tell(seconds=time.perf_counter() - begin)


async def work(raw: Any) -> None:
    tell(ready=True)
    while True:
        if claimed := await raw.claim(BATCH):
            await raw.complete(claimed, None)
        else:
            await asyncio.sleep(0.01)


async def main(url: str, command: str, *rest: str) -> None:
    module = import_module(f"benchmarks.raw.{MODULES[url.partition(':')[0]]}")
    raw = await module.open_raw(url)
    if command == "enqueue":
        await store(raw, int(rest[0]))
    elif command == "work":
        await work(raw)


asyncio.run(main(*sys.argv[1:]))
