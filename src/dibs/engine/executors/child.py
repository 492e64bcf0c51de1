"""What runs in a process of its own: one handler after another, as the worker says."""

import faulthandler
import os
import queue
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from typing import Any, NoReturn

import msgspec

from dibs.engine.executors.messages import (
    GREETING,
    LENGTH_BYTES,
    PARTING_SECONDS,
    Answer,
    Beat,
    Ended,
    Enqueue,
    FromParent,
    Granted,
    Message,
    Progress,
    Question,
    Refused,
    Returned,
    Run,
    Spent,
    Withdraw,
    decode_from_parent,
    encode_frame,
)
from dibs.engine.executors.places import load_task
from dibs.engine.executors.remote import pack_error, rebuild_own_error
from dibs.engine.job import Job
from dibs.engine.tasks.arguments import to_plain
from dibs.engine.tasks.context import Facts
from dibs.engine.tasks.outcome import Cancel, Fail, Snooze, wait_for_permit
from dibs.engine.tasks.task import EnqueueOptions, Task, make_options
from dibs.errors import BadInput, NotSupported, PermitRefused
from dibs.kit.codec import encode_json
from dibs.kit.money import to_microcents

ORPHANED = 70
FORKED = 71


def main(fd: int) -> None:
    """Run handlers for the worker at the other end of this socket, until it hangs up."""
    _settle_in()
    line = Line(fd)
    for order, context in line.take_orders():
        answer = run_order(order, context)
        _flush()
        line.report(context, answer)


def _settle_in() -> None:
    # Ctrl-C reaches the whole group; the worker decides what becomes of its jobs.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # Native code that crashes leaves no other trace of where it was. Without a standard error there is no place for it.
    with suppress(RuntimeError, ValueError, AttributeError):
        faulthandler.enable()


def _flush() -> None:
    # This process may be killed at any time, and what it had printed would be lost.
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()


def run_order(order: Run, context: "ChildContext") -> Answer:
    """Run a job's handler and pack what came of it."""
    try:
        task = load_task(order.place)
    except BaseException as error:  # noqa: BLE001 - importing runs the user's code: see below
        return pack_error(error)
    try:
        return _pack_result(_call(task, context), order)
    except PermitRefused as refused:
        return _pack_result(wait_for_permit(refused), order)
    except BaseException as error:  # noqa: BLE001 - whatever it is, SystemExit too, the worker decides what it means
        return pack_error(error, task.settings.retry.classify)


def _call(task: Task[Any, Any], context: "ChildContext") -> Any:
    arguments = task.arguments.read(context.job.input)
    if task.arguments.wants_context:
        return task.handler(context, **arguments)
    return task.handler(**arguments)


def _pack_result(result: Any, order: Run) -> Answer:
    what = f"output of job {order.job.id!r}"
    packed = msgspec.Raw(encode_json(to_plain(result, what), limit=order.limit, what=what))
    for outcome in (Snooze, Cancel, Fail):
        if isinstance(result, outcome):
            return Ended(outcome=outcome.__name__, fields=packed)
    return Returned(result=packed)


class Line:
    """The line to the worker, which gives orders, answers questions, and hangs up."""

    def __init__(self, fd: int) -> None:
        self._socket = socket.socket(fileno=fd)
        # A program that a handler starts must not keep the line open.
        self._socket.set_inheritable(False)
        self._orders: queue.SimpleQueue[tuple[Run, ChildContext] | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[Granted | Refused] = queue.SimpleQueue()
        self._speaking = threading.Lock()
        self._context: ChildContext | None = None
        self._pid = os.getpid()

    def take_orders(self) -> "Iterator[tuple[Run, ChildContext]]":
        """Give one order after another, until there are no more."""
        threading.Thread(target=self._listen, name="dibs-line", daemon=True).start()
        self._socket.sendall(GREETING)
        while (order := self._orders.get()) is not None:
            yield order

    def ask(self, context: "ChildContext", question: Question) -> Job | None:
        """Have the worker do something for a job, and wait until it is done."""
        with self._speaking:
            context.stop_if_cancelled()
            self._send(question)
            answer = self._answers.get()
        if isinstance(answer, Refused):
            raise rebuild_own_error(answer.error)
        return answer.job

    def report(self, context: "ChildContext", answer: Answer) -> None:
        """Say how a job ended."""
        with self._speaking:
            # A thread that the handler left behind must not ask in the name of the next job.
            context.cancel()
            self._context = None
            self._send(answer)

    def _send(self, message: Message) -> None:
        if os.getpid() != self._pid:
            # A handler has forked, and its copy goes on as if it were the process that was asked: it must not answer.
            os._exit(FORKED)
        self._socket.sendall(encode_frame(message))

    def _listen(self) -> None:
        try:
            with self._socket.makefile("rb") as stream:
                while size := int.from_bytes(stream.read(LENGTH_BYTES)):
                    self._hear(decode_from_parent(stream.read(size)))
        finally:
            self._leave()

    def _hear(self, message: FromParent) -> None:
        if isinstance(message, Run):
            self._context = ChildContext(message, self)
            self._orders.put((message, self._context))
        elif isinstance(message, Withdraw):
            if self._context is not None:
                self._context.cancel()
        else:
            self._answers.put(message)

    def _leave(self) -> None:
        if self._context is not None:
            os._exit(ORPHANED)
        self._orders.put(None)
        # Whatever keeps this process from ending, it does not outlive its worker for long.
        time.sleep(PARTING_SECONDS)
        os._exit(0)


class ChildContext(Facts):
    """The context of a CPU-bound handler: the same as in a thread, with the worker at the other end of a line."""

    def __init__(self, order: Run, line: Line) -> None:
        super().__init__(order.job)
        self._line = line
        self._limit = order.limit

    def report_progress(self, value: Any) -> None:
        """Keep how far this job is."""
        self._line.ask(self, Progress(value=self._pack(value, f"progress of job {self.job.id!r}")))

    def heartbeat(self) -> None:
        """Renew the lease now, and learn whether it still holds."""
        self._line.ask(self, Beat())

    def add_cost(self, cents: Decimal | float) -> None:
        """Say that this execution has cost something."""
        # Told at once: a process that is killed reports nothing at its end.
        self._line.ask(self, Spent(microcents=to_microcents(cents)))

    def enqueue(self, task: Task[Any, Any] | str, given: Any = None, **options: Any) -> Job | None:
        """Store a child of this job."""
        name = task if isinstance(task, str) else task.name
        packed = self._pack(given, f"input of {name}")
        question = Enqueue(task=name, given=packed, options=_pack_options(options), named=tuple(options))
        return self._line.ask(self, question)

    def transaction(self) -> NoReturn:
        """Refuse: the worker's transaction is in another process."""
        message = (
            "a CPU-bound handler runs in a process of its own and cannot share the worker's transaction. Return the"
            " result, or ctx.enqueue a child whose handler is async or plain and writes it."
        )
        raise NotSupported(message)

    def _pack(self, value: Any, what: str) -> msgspec.Raw:
        return msgspec.Raw(encode_json(value, limit=self._limit, what=what))


def _pack_options(options: dict[str, Any]) -> EnqueueOptions:
    if make_options(options).connection is not None:
        message = "a connection cannot be handed to the worker's process. Leave `connection` out in CPU-bound handlers."
        raise BadInput(message)
    try:
        return msgspec.convert(msgspec.to_builtins(options), EnqueueOptions)
    except (TypeError, ValueError) as cause:
        message = f"an option of enqueue does not fit: {cause}."
        raise BadInput(message) from cause
