"""Threads that read, each with its own connection, so that nobody waits for a writer."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from dibs.backends.sqlite.address import Address
from dibs.backends.sqlite.faults import explain, is_breaking
from dibs.backends.sqlite.threads import connections
from dibs.backends.sqlite.threads.forks import FORKS
from dibs.backends.sqlite.transactions.transaction import Snapshot

MOST_READERS = 4
Result = TypeVar("Result")
Reading = Callable[[Snapshot], Result]


class Readers:
    """A few connections that see one moment of the store at a time."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._pool = ThreadPoolExecutor(MOST_READERS, thread_name_prefix="dibs-reader")
        self._own = threading.local()
        self._leaving = connections.Leaving()
        self._open: dict[sqlite3.Connection, tuple[int, int] | None] = {}

    async def run(self, reading: Reading[Result]) -> Result:
        """Run some queries on one snapshot."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._read, reading)

    def _read(self, reading: Reading[Result]) -> Result:
        with FORKS.gate:
            return self._read_inside(reading)

    def _read_inside(self, reading: Reading[Result]) -> Result:
        try:
            return connections.patiently(
                lambda: _on_one_snapshot(self._connection(), reading), self._address, self._leaving
            )
        except Exception as error:
            if is_breaking(error):
                self._forget()
            explained = explain(error, self._address.path)
            if explained is error:
                raise
            raise explained from error

    def _connection(self) -> sqlite3.Connection:
        known: sqlite3.Connection | None = getattr(self._own, "connection", None)
        if known is not None and known in self._open:
            if self._open[known] == connections.identity(self._address.path):
                return known
            self._forget()
        self._own.connection = opened = connections.open_for_reading(self._address)
        self._open[opened] = connections.identity(self._address.path)
        return opened

    def _forget(self) -> None:
        known: sqlite3.Connection | None = getattr(self._own, "connection", None)
        if known is not None:
            self._own.connection = None
            self._open.pop(known, None)
            known.close()

    async def stop(self) -> None:
        """Wait for queries under way, then close all connections."""
        self._leaving.begin()
        await asyncio.get_running_loop().run_in_executor(None, self._pool.shutdown)
        self.close_connections()

    def close_connections(self) -> None:
        """Close all; each thread opens its own again."""
        while self._open:
            self._open.popitem()[0].close()


def _on_one_snapshot(connection: sqlite3.Connection, reading: Reading[Result]) -> Result:
    connection.execute("BEGIN")
    try:
        return reading(Snapshot(connection.cursor()))
    finally:
        if connection.in_transaction:
            connection.rollback()
