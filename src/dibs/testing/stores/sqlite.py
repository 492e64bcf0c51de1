"""The SQLite backend under test."""

import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from datetime import timedelta
from pathlib import Path
from typing import Any

from dibs.assembly import open_backend
from dibs.backends.sqlite.address import parse_url
from dibs.backends.sqlite.statements import migration_steps
from dibs.backends.sqlite.threads.connections import open_for_writing, patiently
from dibs.engine.store.backend import Backend
from dibs.kit.clock import span_micros
from dibs.settings import Settings

# What the last tests noticed stays: numbers of notices only grow.
_EMPTY = (
    "DELETE FROM dibs_jobs",
    "DELETE FROM dibs_attempts",
    "DELETE FROM dibs_audit",
    "DELETE FROM dibs_leases",
    "DELETE FROM dibs_workers",
    "DELETE FROM dibs_lanes",
    "DELETE FROM dibs_parks",
    "DELETE FROM dibs_rules",
    "DELETE FROM dibs_sources",
    "DELETE FROM dibs_spent",
    "DELETE FROM dibs_turns",
    "DELETE FROM dibs_seals",
    "DELETE FROM dibs_schedules",
    "DELETE FROM dibs_fires",
    "UPDATE dibs_counters SET value = 0",
)
_CLOCK = migration_steps("0001_jobs.sql")[-1]


class SqliteStore:
    """A file in a folder of its own. Its clock is a view, replaced by one that is ahead or behind."""

    def __init__(self, folder: Path | None = None) -> None:
        self._own_folder = None if folder else tempfile.mkdtemp(prefix="dibs-sqlite-")
        self.path = (folder or Path(self._own_folder or "")) / "jobs.db"
        # Tests do not cut the power: nothing is gained by waiting for the disk.
        self.url = f"sqlite:///{self.path}?synchronous=normal"
        self._address = parse_url(self.url)
        self._ahead = timedelta(0)

    async def open(self, **settings: Any) -> Backend:
        """Open another handle."""
        return await open_backend(self.url, settings=Settings(**settings))

    async def advance(self, span: timedelta) -> None:
        """Move the clock."""
        self._set_clock(self._ahead + span)

    async def reset(self) -> None:
        """Empty the tables."""
        if self.path.exists():
            self._run(*_EMPTY)
            if self._ahead:
                self._set_clock(timedelta(0))

    async def close(self) -> None:
        """Delete the folder, if it is our own."""
        if self._own_folder is not None:
            shutil.rmtree(self._own_folder, ignore_errors=True)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Any]:
        """Begin on a connection of the caller's own."""
        with closing(open_for_writing(self._address)) as connection:
            patiently(lambda: connection.execute("BEGIN IMMEDIATE"), self._address)
            try:
                yield connection
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    def _set_clock(self, ahead: timedelta) -> None:
        self._ahead = ahead
        self._run("DROP VIEW dibs_clock", _CLOCK.replace(" AS now", f" + {span_micros(ahead)} AS now"))

    def _run(self, *statements: str) -> None:
        with closing(open_for_writing(self._address)) as connection:
            patiently(lambda: connection.execute("BEGIN IMMEDIATE"), self._address)
            for one in statements:
                connection.execute(one)
            connection.execute("COMMIT")
