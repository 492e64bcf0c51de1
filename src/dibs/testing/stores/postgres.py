"""The PostgreSQL backend under test."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, Self

from dibs.assembly import open_backend
from dibs.backends.postgres.wire.address import read_address
from dibs.backends.postgres.wire.connections import connect
from dibs.engine.store.backend import Backend
from dibs.kit.clock import span_micros
from dibs.kit.ids import new_id
from dibs.settings import Settings

_TABLES = (
    "jobs", "finished_jobs", "attempts", "audit", "leases", "workers",
    "rules", "turns", "ring", "lanes", "barriers", "arrivals", "sources", "spent", "seals", "schedules", "fires",
    "floors",
)  # fmt: skip


class PostgresStore:
    """One schema in one database. Its clock is the function `clock()`, which tests replace."""

    def __init__(self, url: str, control: Any) -> None:
        self.url = url
        self._control = control
        self._schema = read_address(url).schema
        self._ahead = timedelta(0)
        # The server shows it beside each connection, so that `cut` finds those of this harness only.
        self._name = f"dibs-test-{new_id()}"

    @classmethod
    async def start(cls, url: str) -> Self:
        """Install the schema if need be, and keep a connection for the tests' own hands."""
        await (await open_backend(url)).close()
        return cls(url, await connect(read_address(url)))

    async def open(self, **settings: Any) -> Backend:
        """Open another handle."""
        url = f"{self.url}{'&' if '?' in self.url else '?'}application_name={self._name}"
        return await open_backend(url, settings=Settings(url=url, **settings))

    async def advance(self, span: timedelta) -> None:
        """Move the clock."""
        await self._set_clock(self._ahead + span)

    async def reset(self) -> None:
        """Empty the tables; deleting a few rows is much faster than TRUNCATE."""
        forgetting = f"SET dibs.forgetting = '{self._schema}'"
        deletions = (f'DELETE FROM "{self._schema}".{table}' for table in _TABLES)
        await self._control.execute("; ".join([forgetting, *deletions, "RESET dibs.forgetting"]))
        if self._ahead:
            await self._set_clock(timedelta(0))

    async def close(self) -> None:
        """Set the clock right and leave."""
        if self._ahead:
            await self._set_clock(timedelta(0))
        await self._control.close()

    async def cut(self) -> None:
        """Break every connection of every handle, whatever it is doing."""
        await self._control.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", self._name
        )

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Any]:
        """Give a connection in a transaction."""
        connection = await connect(read_address(self.url))
        try:
            async with connection.transaction():
                yield connection
        finally:
            await connection.close()

    async def _set_clock(self, ahead: timedelta) -> None:
        body = f"SELECT pg_catalog.statement_timestamp() + {span_micros(ahead)} * interval '1 microsecond'"
        head = f'CREATE OR REPLACE FUNCTION "{self._schema}".clock() RETURNS timestamptz LANGUAGE sql STABLE'
        await self._control.execute(f"{head} AS $$ {body} $$")
        self._ahead = ahead
