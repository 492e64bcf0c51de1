"""Opening the tables of tenants, keys and users, with the audit log of the jobs' store where it is at hand."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeVar

from dibs.assembly import find_tables_schema, make_directory, open_backend
from dibs.cli.printing import output
from dibs.cli.stores import naming_store
from dibs.engine.store.backend import Backend
from dibs.errors import StoreError

if TYPE_CHECKING:
    from dibs.access.directory import Directory

Answer = TypeVar("Answer")


def on_directory(url: str | None, work: "Callable[[Directory], Awaitable[Answer]]") -> Answer:
    """Do something with tables that fit. Nothing is ever installed on the way."""

    async def do() -> Answer:
        await find_tables_schema(url).check()
        async with _opened(url) as backend:
            directory = make_directory(backend, url)
            async with directory.tables:
                return await work(directory)

    with naming_store(url):
        return asyncio.run(do())


@asynccontextmanager
async def _opened(url: str | None) -> AsyncIterator[Backend | None]:
    """Open the jobs' store for its audit log. A key must be revocable also while that store is away."""
    try:
        backend = await open_backend(url, migrate=False)
    except StoreError as error:
        output.tell(f"dibs: the audit log cannot be reached; what you do now goes there later. {error}")
        yield None
        return
    async with backend:
        yield backend if backend.capabilities.shared else None
