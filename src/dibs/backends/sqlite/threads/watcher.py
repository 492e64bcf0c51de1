"""Noticing what other processes have committed, without asking them."""

import asyncio
import sqlite3
import threading
from collections.abc import Sequence
from datetime import timedelta

from dibs.backends.sqlite.address import Address
from dibs.backends.sqlite.threads import connections
from dibs.backends.sqlite.threads.forks import FORKS
from dibs.backends.sqlite.transactions.transaction import Snapshot
from dibs.kit.waiting import wait_set

LOOK_SECONDS = 0.01
RECOVER_SECONDS = 0.5


class SqliteSubscription:
    """Remembers that something came, until somebody waits for it."""

    def __init__(self, queues: Sequence[str] | None) -> None:
        self._queues = None if queues is None else frozenset(queues)
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()

    def offer(self, queues: Sequence[str]) -> None:
        """Take note if one of these queues is meant; may be called in any thread."""
        if self._queues is not None and self._queues.isdisjoint(queues):
            return
        try:
            self._loop.call_soon_threadsafe(self._news.set)
        except RuntimeError:
            # Its loop is closed: nobody waits any more.
            return

    async def wait(self, timeout: timedelta) -> bool:
        """Wait for news; False when the time is up."""
        has_news = await wait_set(self._news, timeout.total_seconds())
        self._news.clear()
        return has_news


class Watcher:
    """Compares the numbers of the queues with those seen last, while anybody listens."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._seen: dict[str, int] = {}
        self._subscriptions: set[SqliteSubscription] = set()
        self._thread: threading.Thread | None = None
        self._leaving = threading.Event()
        self._look: _Look | None = None

    def add(self, subscription: SqliteSubscription, numbers: dict[str, int]) -> None:
        """Tell this one of everything that comes after `numbers`."""
        with self._lock:
            if not self._subscriptions:
                self._seen = dict(numbers)
            self._subscriptions.add(subscription)
            if self._thread is None:
                self._leaving = threading.Event()
                self._thread = threading.Thread(
                    target=self._watch, args=(self._leaving,), name="dibs-watcher", daemon=True
                )
                self._thread.start()

    def remove(self, subscription: SqliteSubscription) -> None:
        """Tell this one no more; without listeners nobody looks."""
        with self._lock:
            self._subscriptions.discard(subscription)
            if not self._subscriptions:
                self._leaving.set()
                self._thread = None

    def tell(self, numbers: dict[str, int]) -> None:
        """Wake those who listen to a queue whose number has grown. Each number is told once, whoever saw it first."""
        with self._lock:
            grown = [queue for queue, number in numbers.items() if number > self._seen.get(queue, 0)]
            self._seen.update((queue, numbers[queue]) for queue in grown)
            listeners = list(self._subscriptions) if grown else []
        for subscription in listeners:
            subscription.offer(grown)

    async def stop(self) -> None:
        """Let the thread go."""
        with self._lock:
            thread, self._thread = self._thread, None
            self._leaving.set()
        if thread is not None:
            await asyncio.get_running_loop().run_in_executor(None, thread.join)

    def _watch(self, leaving: threading.Event) -> None:
        pause = 0.0
        while not leaving.wait(pause):
            try:
                self._look_until(leaving)
            except sqlite3.Error:
                # The file may be locked, moved or full; whoever works with it says so. Here only hints are lost.
                pause = RECOVER_SECONDS

    def _look_until(self, leaving: threading.Event) -> None:
        look = _Look(self._address)
        try:
            while not leaving.wait(LOOK_SECONDS):
                with FORKS.gate:
                    self._look = look
                    numbers = look.find_news()
                if numbers is not None:
                    self.tell(numbers)
        finally:
            with FORKS.gate:
                look.close()

    def close_connections(self) -> None:
        """Close the connection; the next look opens another."""
        if self._look is not None:
            self._look.close()


class _Look:
    """One connection, opened when it is needed, and what it has seen last."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._connection: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None
        self._version: object = None

    def find_news(self) -> dict[str, int] | None:
        """Give the numbers if anybody has committed since the last look."""
        identity = connections.identity(self._address.path)
        if self._connection is None or identity != self._identity:
            self.close()
            self._connection, self._identity = connections.open_for_reading(self._address), identity
        version = self._connection.execute("PRAGMA data_version").fetchone()
        if version == self._version:
            return None
        self._version = version
        return read_numbers(Snapshot(self._connection.cursor()))

    def close(self) -> None:
        """Let go of the connection."""
        if self._connection is not None:
            self._connection.close()
        self._connection = self._version = None


def read_numbers(snapshot: Snapshot) -> dict[str, int]:
    """Give the number of every queue that ever had a job ready."""
    return dict(snapshot.read("list_notices"))
