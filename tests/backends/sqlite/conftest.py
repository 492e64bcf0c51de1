"""A SQLite file for each test, and programs that work on it from other processes."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from dibs.engine.store.backend import Backend
from dibs.testing.stores.sqlite import SqliteStore

Start = Callable[..., Awaitable[asyncio.subprocess.Process]]
PROGRAMS = Path(__file__).with_name("programs.py")


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return SqliteStore(tmp_path)


@pytest_asyncio.fixture
async def backend(store: SqliteStore) -> AsyncIterator[Backend]:
    async with await store.open(worker_id="here") as backend:
        yield backend


@pytest_asyncio.fixture
async def start(store: SqliteStore) -> AsyncIterator[Start]:
    """Start a program of `programs.py` on the store, in a process of its own."""
    running = []

    async def start(name: str, *arguments: object) -> asyncio.subprocess.Process:
        command = (sys.executable, str(PROGRAMS), name, store.url, *map(str, arguments))
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=pipe)
        running.append(process)
        return process

    yield start
    for process in running:
        if process.returncode is None:
            process.kill()
        await process.communicate()
