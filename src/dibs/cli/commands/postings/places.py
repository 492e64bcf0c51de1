"""Opening the tables of postings, with the locks and the audit log of the jobs' store."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from dibs.assembly import Dibs, find_tables_schema, make_directory
from dibs.settings import Settings

if TYPE_CHECKING:
    from dibs.apps.postings.office import Office

Answer = TypeVar("Answer")
DEFAULT_TENANT = "default"


def on_office(url: str | None, work: "Callable[[Office, Dibs], Awaitable[Answer]]") -> Answer:
    """Do something with postings whose tables fit. Nothing is ever installed on the way."""

    async def do() -> Answer:
        await find_tables_schema(url).check()
        from dibs.apps.postings.office import Office, choose_locks

        async with Dibs(url, settings=Settings.from_env(), migrate=False) as app:
            backend = await app.backend()
            async with make_directory(None, url).tables as tables:
                office = Office(tables, locks=choose_locks(app.url, backend), audit=backend.audit)
                return await work(office, app)

    return asyncio.run(do())
