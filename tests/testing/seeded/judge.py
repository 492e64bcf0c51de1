"""Runs one sentence on one real store: `python -m tests.testing.seeded.judge <package> <store> <url> <sentence>`.

Prints "fails" or "holds". The package is the folder from which Dibs must have been imported: the one with the bug.
"""

import asyncio
import sys
from pathlib import Path
from typing import Any

import dibs
import dibs.testing
from tests.testing.seeded.sentences import find_failure


async def open_store(name: str, url: str) -> Any:
    # The package imports each harness, and with it a driver, when it is asked for.
    if name == "postgres":
        return await dibs.testing.PostgresStore.start(url)
    return dibs.testing.SqliteStore() if name == "sqlite" else dibs.testing.RedisStore(url)


async def judge(store_name: str, url: str, sentence: str) -> str:
    store = await open_store(store_name, url)

    async def make() -> Any:
        return store

    try:
        async with asyncio.timeout(60):
            return "holds" if await find_failure(sentence, make) is None else "fails"
    finally:
        await store.close()


if __name__ == "__main__":
    package, *rest = sys.argv[1:]
    assert Path(dibs.__file__).is_relative_to(Path(package).resolve()), dibs.__file__
    sys.stdout.write(asyncio.run(judge(*rest)))
