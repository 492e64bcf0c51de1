"""Forking a process that uses SQLite.

SQLite keeps its locks in the memory of the process. A child that inherits them half-way, or a connection that it did
not open itself, may wait for ever, or write to a log that its parent has deleted. So whoever forks waits until our
threads are out of SQLite, and all our connections are closed meanwhile; each side opens its own when it needs them.
"""

import os
import threading
from typing import Protocol
from weakref import WeakSet

from dibs.errors import StoreError

PATIENCE_SECONDS = 5.0


class Gate:
    """Threads go through it into SQLite; while it is shut they wait outside."""

    def __init__(self) -> None:
        self._changed = threading.Condition(threading.Lock())
        self._inside = 0
        self._is_shut = False

    def __enter__(self) -> None:
        with self._changed:
            while self._is_shut:
                self._changed.wait()
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._inside -= 1
            if self._is_shut:
                self._changed.notify_all()

    def shut(self) -> bool:
        """Let nobody in any more; tells whether everybody came out in time."""
        with self._changed:
            self._is_shut = True
            return self._changed.wait_for(lambda: self._inside == 0, PATIENCE_SECONDS)

    def open(self) -> None:
        """Let them in again."""
        with self._changed:
            self._is_shut = False
            self._changed.notify_all()


class Connected(Protocol):
    """Something with connections."""

    def close_connections(self) -> None:
        """Close them; called by the thread that forks, while no other is inside the gate."""


class Forks:
    """Brings everything in this process to rest before a fork."""

    def __init__(self) -> None:
        self.gate = Gate()
        # For what all files share; taken during a fork, so that no child inherits it from a thread it does not have.
        self.lock = threading.Lock()
        self._connected: WeakSet[Connected] = WeakSet()
        self._is_watching = False
        self._is_at_rest = True
        self._was_torn = False

    def watch(self, connected: Connected) -> None:
        """Close the connections of this one before each fork from now on."""
        self._connected.add(connected)
        if not self._is_watching:
            self._is_watching = True
            os.register_at_fork(before=self._rest, after_in_parent=self._go_on, after_in_child=self._start_anew)

    def refuse_if_torn(self, path: str) -> None:
        """Refuse to work in a child that was forked out of the middle of a transaction."""
        if self._was_torn:
            message = (
                f"this process was forked while its parent was in the middle of writing to {path}: SQLite cannot be"
                " used safely here. Fork outside of transactions, or start a new process (multiprocessing: spawn)."
            )
            raise StoreError(message)

    def _rest(self) -> None:
        self.lock.acquire()
        self._is_at_rest = self.gate.shut()
        if self._is_at_rest:
            for connected in list(self._connected):
                connected.close_connections()

    def _go_on(self) -> None:
        self.gate.open()
        self.lock.release()

    def _start_anew(self) -> None:
        self.gate = Gate()
        self._was_torn = self._was_torn or not self._is_at_rest
        self.lock.release()


FORKS = Forks()
