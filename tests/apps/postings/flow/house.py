"""A process that serves postings: prints its port, and dies where it is told to."""

import asyncio
import os
import sys
from datetime import timedelta
from typing import Any

import dibs
from dibs.access.directory import Directory
from dibs.apps.postings.office import Office, choose_locks
from dibs.server.application import make_server
from dibs.server.serving import Service, listen
from dibs.storage.tables import Tables
from dibs.storage.transaction import Transaction
from tests.server.conftest import OPTIONS
from tests.server.keys import KeyRing

ANSWER = "answer"


async def serve(tables_url: str, jobs_url: str, death: str, lease: str) -> None:
    """Serve until a signal comes. `death`: before which write to die, `answer` for just before the first answer."""
    listener = listen("127.0.0.1", 0)
    async with dibs.Dibs(jobs_url) as app, Tables.at(tables_url) as tables:
        server: Any = make_server(app, KeyRing(), Directory(tables), options=OPTIONS)
        backend, span = await app.backend(), timedelta(seconds=float(lease))
        server.state.postings_office = Office(tables, locks=choose_locks(jobs_url, backend), lease=span)
        if death == ANSWER:
            server.add_middleware(Mute)
        elif death:
            die_at(int(death))
        ready = f"{listener.getsockname()[1]}\n"
        await Service(server, OPTIONS).run(listener, on_ready=lambda: (print(ready, end="", flush=True), None)[1])  # noqa: T201 - it is waited for


class Mute:
    """Dies when everything is done and nothing is said."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def die(message: Any) -> None:
            os._exit(9)

        await self._app(scope, receive, die if scope["type"] == "http" else send)


def die_at(number: int) -> None:
    """Die before the n-th write."""
    writes = 0

    def dying(name: str) -> Any:
        original = getattr(Transaction, name)

        async def write(self: Any, *given: Any, **named: Any) -> Any:
            nonlocal writes
            writes += 1
            if writes == number:
                os._exit(9)
            return await original(self, *given, **named)

        return write

    for name in ("add", "add_many", "add_if_new", "change"):
        setattr(Transaction, name, dying(name))


if __name__ == "__main__":
    asyncio.run(serve(*sys.argv[1:5]))
