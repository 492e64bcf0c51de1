"""One file as this process sees it: its writer, its readers, and those who wait for news."""

import os
from collections.abc import Awaitable, Callable
from typing import Any, Self

from dibs.backends.sqlite.address import Address
from dibs.backends.sqlite.threads.block import Block
from dibs.backends.sqlite.threads.forks import FORKS
from dibs.backends.sqlite.threads.readers import Readers, Reading
from dibs.backends.sqlite.threads.watcher import Watcher
from dibs.backends.sqlite.threads.writer import Writer
from dibs.backends.sqlite.transactions.transaction import Operation, Result, as_it_is
from dibs.errors import StoreError


class Engines:
    """The threads that belong to one process."""

    def __init__(self, address: Address) -> None:
        self.process = os.getpid()
        self.readers = Readers(address)
        self.watcher = Watcher(address)
        self.writer = Writer(address, self.watcher.tell)
        FORKS.watch(self)

    def close_connections(self) -> None:
        """Close all of them, before a fork; the threads open them again."""
        self.writer.close_connections()
        self.readers.close_connections()
        self.watcher.close_connections()


class Database:
    """Shared by all handles of a process on the same address; the last one that leaves stops the threads."""

    _all: dict[tuple[int, Address], Self] = {}  # noqa: RUF012 - shared on purpose
    # Threads inherited through fork do not run here: what belongs to them must be neither used nor cleaned up.
    _inherited: list[Engines] = []  # noqa: RUF012 - shared on purpose

    def __init__(self, address: Address) -> None:
        self.address = address
        self.handles = 0
        self._engines = Engines(address)

    @classmethod
    def open(cls, address: Address) -> Self:
        """Give the database of this process for an address."""
        FORKS.refuse_if_torn(address.path)
        with FORKS.lock:
            database = cls._all.setdefault((os.getpid(), address), cls(address))
            database.handles += 1
            return database

    async def write(
        self, operation: Operation[Any], *, then: Callable[[Any], Result] = as_it_is, create: bool = False
    ) -> Result:
        """Run an operation in a write transaction, together with others that wait."""
        return await self.engines.writer.run(operation, then, create=create)

    async def hold(self, block: Block) -> None:
        """Keep a write transaction open for a block until it is ended."""
        await self.engines.writer.run(block.serve, as_it_is, is_block=True)

    async def read(self, reading: Reading[Result]) -> Result:
        """Run queries on one snapshot."""
        return await self.engines.readers.run(reading)

    @property
    def watcher(self) -> Watcher:
        """Those who wait for news."""
        return self.engines.watcher

    @property
    def engines(self) -> Engines:
        """The threads of this process; a forked child gets its own."""
        if self.handles == 0:
            message = f"this handle on {self.address.path} is closed. Open the store again."
            raise StoreError(message)
        if self._engines.process != os.getpid():
            FORKS.refuse_if_torn(self.address.path)
            self._inherited.append(self._engines)
            self._engines = Engines(self.address)
        return self._engines

    def handle_closer(self) -> Callable[[], Awaitable[None]]:
        """Give what closes one handle, once however often it is called."""
        is_open = True

        async def close() -> None:
            nonlocal is_open
            if is_open:
                is_open = False
                await self._leave()

        return close

    async def _leave(self) -> None:
        with FORKS.lock:
            self.handles -= 1
            if self.handles > 0:
                return
            self._all.pop((self._engines.process, self.address), None)
        if self._engines.process != os.getpid():
            self._inherited.append(self._engines)
            return
        await self._engines.writer.stop()
        await self._engines.watcher.stop()
        await self._engines.readers.stop()
