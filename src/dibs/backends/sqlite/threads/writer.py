"""The one thread of a process that writes to a file.

Whatever waits is run in one transaction, each operation under a savepoint of its own, so that many small writes share
one sync to disk and a refused one undoes nothing but itself. Answers are given after the commit only.
"""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from dibs.backends.sqlite.address import Address
from dibs.backends.sqlite.faults import explain, is_breaking
from dibs.backends.sqlite.threads import connections
from dibs.backends.sqlite.threads.forks import FORKS
from dibs.backends.sqlite.transactions.transaction import KEEP, SAVEPOINT, UNDO, Operation, Result, Transaction
from dibs.errors import StoreUnavailable

LARGEST_GROUP = 128
# A writer that never rests would keep other processes out: they look for the lock only every millisecond or two.
BUSY_STRETCH_SECONDS, PAUSE_SECONDS = 0.1, 0.003
Notices = dict[str, int]


class Call:
    """One operation, where its answer goes, and the answer."""

    def __init__(
        self, operation: Operation[Any], then: Callable[[Any], Any], *, create: bool = False, is_block: bool = False
    ) -> None:
        loop = asyncio.get_running_loop()
        self.operation = operation
        self.then = then
        self.loop = loop
        self.create = create
        self.is_block = is_block
        self.future: asyncio.Future[Any] = loop.create_future()
        self.value: Any = None
        self.error: BaseException | None = None
        self.notices: Notices = {}

    def run(self, connection: sqlite3.Connection) -> None:
        """Do it, and keep the result until the commit."""
        transaction = Transaction(connection.cursor())
        self.error = None
        self.value = self.operation(transaction)
        self.notices = transaction.count_notices()

    def convert(self) -> None:
        """Make the answer of the result, now that it is committed."""
        if self.error is None:
            try:
                self.value = self.then(self.value)
            except Exception as error:  # noqa: BLE001 - it is the caller's to see
                self.error = error

    def answer(self) -> None:
        """Give the answer, in the event loop that asked."""
        if self.future.done():
            return
        if self.error is None:
            self.future.set_result(self.value)
        else:
            self.future.set_exception(self.error)


class TransactionBroken(Exception):
    """SQLite undid the whole transaction, or could not commit it."""


class Writer:
    """Takes operations from any event loop and runs them one after another."""

    def __init__(self, address: Address, tell: Callable[[Notices], None]) -> None:
        self._address = address
        self._tell = tell
        self._inbox: SimpleQueue[Call | None] = SimpleQueue()
        self._start_lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._connection: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None
        self._busy_since = 0.0
        self._next_block: Call | None = None
        self._leaving = connections.Leaving()

    async def run(
        self,
        operation: Operation[Any],
        then: Callable[[Any], Result],
        *,
        create: bool = False,
        is_block: bool = False,
    ) -> Result:
        """Run an operation in a transaction; once that is committed, gives what `then` makes of its result.

        `then` runs in the writer's thread, where the rows have just been read: their memory is still near.
        """
        call = Call(operation, then, create=create, is_block=is_block)
        self._start()
        self._inbox.put(call)
        result: Result = await call.future
        return result

    async def stop(self) -> None:
        """Finish what waits, then close the connection. What waits for a lock meanwhile is refused, and soon."""
        self._leaving.begin()
        if self._thread is not None:
            self._inbox.put(None)
            await asyncio.get_running_loop().run_in_executor(None, self._thread.join)

    def _start(self) -> None:
        if self._thread is not None:
            return
        with self._start_lock:
            if self._thread is None:
                name = f"dibs-writer:{Path(self._address.path).name}"
                self._thread = threading.Thread(target=self._work, name=name, daemon=True)
                self._thread.start()

    def _work(self) -> None:
        is_last = False
        while not is_last:
            calls, is_last = self._take_waiting()
            calls = [call for call in calls if not call.future.cancelled()]
            if calls:
                with FORKS.gate:
                    self._serve(calls)
        with FORKS.gate:
            self._disconnect()

    def close_connections(self) -> None:
        """Close the connection; the next operation opens another."""
        self._disconnect()

    def _take_waiting(self) -> tuple[list[Call], bool]:
        if self._inbox.empty() and self._next_block is None:
            self._busy_since = 0.0
        else:
            self._let_others_in()
        if self._next_block is not None:
            block, self._next_block = self._next_block, None
            return [block], False
        calls: list[Call] = []
        return calls, self._take_into(calls)

    def _take_into(self, calls: list[Call]) -> bool:
        """Take what waits, up to the next block, which is kept for a turn of its own; tells whether that was all."""
        while len(calls) < LARGEST_GROUP and not (calls and self._inbox.empty()):
            call = self._inbox.get()
            if call is None:
                return True
            if call.is_block and calls:
                self._next_block = call
                return False
            calls.append(call)
            if call.is_block:
                return False
        return False

    def _let_others_in(self) -> None:
        moment = time.monotonic()
        if not self._busy_since:
            self._busy_since = moment
        elif moment - self._busy_since > BUSY_STRETCH_SECONDS:
            time.sleep(PAUSE_SECONDS)
            self._busy_since = 0.0

    def _serve(self, calls: list[Call]) -> None:
        try:
            self._commit_together(calls)
        except TransactionBroken as broken:
            self._commit_apart(calls, broken)
        except BaseException as error:  # noqa: BLE001 - the thread serves everybody: no error may end it
            self._refuse(calls, error)
        self._answer(calls)

    def _commit_together(self, calls: list[Call]) -> None:
        connection = self._connect(create=any(call.create for call in calls))
        connections.patiently(lambda: connection.execute("BEGIN IMMEDIATE"), self._address, self._leaving)
        if len(calls) == 1:
            self._run_alone(calls[0], connection)
            if calls[0].is_block:
                self._let_guests_in(calls, connection)
        else:
            for call in calls:
                self._run_under_savepoint(call, connection)
        try:
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._abandon(connection)
            raise TransactionBroken from explain(error, self._address.path, at_commit=True)

    def _let_guests_in(self, calls: list[Call], connection: sqlite3.Connection) -> None:
        """Do what waited for a block to end in the transaction that ends it."""
        while len(calls) < LARGEST_GROUP and not self._inbox.empty() and self._next_block is None:
            call = self._inbox.get()
            if call is None:
                self._inbox.put(None)
                return
            if call.is_block:
                self._next_block = call
                return
            calls.append(call)
            self._run_under_savepoint(call, connection)

    def _run_alone(self, call: Call, connection: sqlite3.Connection) -> None:
        try:
            call.run(connection)
        except BaseException:
            if connection.in_transaction:
                connection.rollback()
            raise

    def _run_under_savepoint(self, call: Call, connection: sqlite3.Connection) -> None:
        try:
            connection.execute(SAVEPOINT)
            call.run(connection)
            connection.execute(KEEP)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the answer to this call only
            call.error, call.notices = explain(error, self._address.path), {}
            self._undo(connection, error)

    def _undo(self, connection: sqlite3.Connection, error: Exception) -> None:
        # A full disk makes SQLite undo the whole transaction, the operations before this one included.
        if not connection.in_transaction or is_breaking(error):
            self._abandon(connection)
            raise TransactionBroken from explain(error, self._address.path)
        connection.execute(UNDO)
        connection.execute(KEEP)

    def _abandon(self, connection: sqlite3.Connection) -> None:
        if connection.in_transaction:
            connection.rollback()
        self._disconnect()

    def _commit_apart(self, calls: list[Call], broken: TransactionBroken) -> None:
        """Nothing of the group was kept: give each operation its own transaction, and its own answer."""
        if len(calls) == 1:
            self._refuse(calls, broken.__cause__ or broken)
            return
        for call in calls:
            if call.is_block:
                # Its steps were taken and answered: they cannot be done again.
                self._refuse([call], broken.__cause__ or broken)
                continue
            try:
                self._commit_together([call])
            except TransactionBroken as again:
                self._refuse([call], again.__cause__ or again)
            except BaseException as error:  # noqa: BLE001 - as above
                self._refuse([call], error)

    def _refuse(self, calls: list[Call], error: BaseException) -> None:
        if is_breaking(error):
            self._disconnect()
        explained = explain(error, self._address.path)
        for call in calls:
            call.error, call.notices = explained, {}

    def _answer(self, calls: list[Call]) -> None:
        notices: Notices = {}
        for call in calls:
            notices.update(call.notices)
        for call in calls:
            call.convert()
        for loop in {call.loop for call in calls}:
            _answer_in(loop, [call for call in calls if call.loop is loop])
        if notices:
            self._tell(notices)

    def _connect(self, *, create: bool) -> sqlite3.Connection:
        """Give the connection, a new one if the file is not the one it was opened on."""
        if self._connection is not None:
            if connections.identity(self._address.path) == self._identity:
                return self._connection
            self._disconnect()
        self._connection = connections.open_for_writing(self._address, create=create, leaving=self._leaving)
        self._identity = connections.identity(self._address.path)
        if self._identity is None:
            self._disconnect()
            message = f"{self._address.path} was deleted while it was being opened. Put it back."
            raise StoreUnavailable(message)
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _answer_in(loop: asyncio.AbstractEventLoop, calls: list[Call]) -> None:
    try:
        loop.call_soon_threadsafe(_answer_all, calls)
    except RuntimeError:
        # The loop that asked is closed: nobody waits for the answer.
        return


def _answer_all(calls: list[Call]) -> None:
    for call in calls:
        call.answer()
