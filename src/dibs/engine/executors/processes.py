"""Handlers in processes of their own, for code that keeps a CPU busy or may take its process down."""

import asyncio
import socket
import subprocess
import sys
from contextlib import suppress
from signal import SIGKILL, Signals
from typing import Any, assert_never

import msgspec

from dibs.engine.executors.executor import WorkerCrashed
from dibs.engine.executors.messages import (
    GREETING,
    LENGTH_BYTES,
    PARTING_SECONDS,
    Answer,
    Beat,
    Ended,
    Enqueue,
    FromChild,
    Granted,
    Message,
    Place,
    Progress,
    Question,
    Raised,
    Refused,
    Returned,
    Run,
    Withdraw,
    decode_from_child,
    encode_frame,
)
from dibs.engine.executors.places import find_place
from dibs.engine.executors.remote import rebuild_error
from dibs.engine.failure import describe_error
from dibs.engine.job import Job
from dibs.engine.tasks import outcome
from dibs.engine.tasks.context import Desk, Facts
from dibs.engine.tasks.task import Task
from dibs.errors import BadInput, Retryable
from dibs.settings import Settings

LAST_WORDS_SECONDS = 0.5
READ_AHEAD_BYTES = 1024 * 1024
# What a message has beside the payload: names, options, a traceback.
ROOM_BYTES = 1024 * 1024
GARBLED = "the process running this job broke its line to the worker: it writes to files that it did not open"
DEFAULT_LIMIT = Settings().max_payload_bytes
# Not -m: the package must be found where this process found it, which may be no place that Python knows by itself.
BOOT = "import sys; sys.path[:] = sys.argv[2:]; from dibs.engine.executors.child import main; main(int(sys.argv[1]))"


class ProcessFacts(Facts):
    """What is known here of a job that runs in another process."""

    def __init__(self, job: Job, desk: Desk) -> None:
        super().__init__(job)
        self.desk = desk
        self.process: HandlerProcess | None = None

    def cancel(self) -> None:
        """Tell the handler, wherever it is; call this on the worker's event loop."""
        super().cancel()
        if self.process is not None:
            self.process.send(Withdraw())


class ProcessExecutor:
    """At most `size` processes, started when they are needed and kept. One that dies or is killed is replaced."""

    def __init__(self, size: int) -> None:
        if size < 1:
            message = f"{size} processes can run nothing. Ask for at least 1."
            raise BadInput(message)
        self._slots = asyncio.Semaphore(size)
        self._idle: list[HandlerProcess] = []
        self._living: set[HandlerProcess] = set()
        self._places: dict[Task[Any, Any], Place] = {}

    async def start(self) -> None:
        """Processes start when they are needed."""

    async def stop(self) -> None:
        """Let the idle ones end, kill the others, and wait until all are gone."""
        idle, self._idle = self._idle, []
        for process in self._living.difference(idle):
            process.kill()
        for process in idle:
            process.hang_up()
        for process in await _wait_until_gone(idle):
            process.kill()
        await _wait_until_gone(self._living)

    def make_facts(self, job: Job, desk: Desk) -> ProcessFacts:
        """Make what the worker knows of the job; the handler's context is made where it runs."""
        return ProcessFacts(job, desk)

    async def call(self, task: Task[Any, Any], facts: ProcessFacts, arguments: dict[str, Any]) -> Any:  # noqa: ARG002
        """Run the handler in a process, which reads the arguments itself. Cancelling this kills the process."""
        order = self._make_order(task, facts.job)
        async with self._slots:
            process = self._find_idle() or await self._start_process()
            try:
                answer = await process.run(order, facts)
            except BaseException:
                await process.end()
                raise
            self._idle.append(process)
        return _open_answer(answer)

    def _make_order(self, task: Task[Any, Any], job: Job) -> Run:
        place = self._places.get(task) or self._places.setdefault(task, find_place(task))
        limit = DEFAULT_LIMIT if task.app is None else task.app.settings.max_payload_bytes
        return Run(place=place, job=job, limit=limit)

    def _find_idle(self) -> "HandlerProcess | None":
        while self._idle:
            process = self._idle.pop()
            if process.is_fit:
                return process
            process.kill()
        return None

    async def _start_process(self) -> "HandlerProcess":
        process = await start_process()
        self._living.add(process)
        process.gone.add_done_callback(lambda _: self._living.discard(process))
        return process


async def start_process() -> "HandlerProcess":
    """Start a process and wait until it listens."""
    ours, theirs = socket.socketpair()
    with theirs:
        reader, writer = await asyncio.open_unix_connection(sock=ours, limit=READ_AHEAD_BYTES)
        try:
            child = await _spawn(theirs)
        except BaseException:
            writer.transport.abort()
            raise
    process = HandlerProcess(child, reader, writer)
    try:
        await process.wait_until_ready()
    except BaseException:
        await process.end()
        raise
    return process


async def _spawn(line: socket.socket) -> asyncio.subprocess.Process:
    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]  # noqa: SLF001 - as multiprocessing does
    # -P: a file in the working directory must not stand in for a module of the standard library.
    command = [sys.executable, *flags, "-P", "-c", BOOT, str(line.fileno()), *sys.path]
    return await asyncio.create_subprocess_exec(*command, stdin=subprocess.DEVNULL, pass_fds=[line.fileno()])


class HandlerProcess:
    """One process that runs one handler after another."""

    def __init__(
        self, child: asyncio.subprocess.Process, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._child = child
        self._reader = reader
        self._writer = writer
        self.gone = asyncio.create_task(self._watch(), name=f"dibs-process-{child.pid}")

    @property
    def is_fit(self) -> bool:
        """Whether it can be given a job."""
        return self._child.returncode is None and not self._reader.at_eof()

    async def wait_until_ready(self) -> None:
        """Wait until it has started."""
        try:
            await self._read(len(GREETING))
        except WorkerCrashed as cause:
            message = f"no process could be started for this job: {cause}. See the worker's standard error."
            raise Retryable(message) from cause

    async def run(self, order: Run, facts: ProcessFacts) -> Answer:
        """Have a job run, and serve its handler until it answers."""
        self.send(order)
        facts.process = self
        if facts.is_cancelled:
            facts.cancel()
        try:
            while isinstance(message := await self._receive(order.limit + ROOM_BYTES), Question):
                await self._serve(message, facts)
        finally:
            facts.process = None
        return message

    def send(self, message: Message) -> None:
        """Say something to the child."""
        self._writer.write(encode_frame(message))

    def hang_up(self) -> None:
        """Let it end by itself."""
        self._writer.close()

    def kill(self) -> None:
        """End it now."""
        self._writer.transport.abort()
        if self._child.returncode is None:
            self._child.kill()

    async def end(self) -> None:
        """End it now, and wait until it is gone."""
        self.kill()
        await self._child.wait()

    async def _serve(self, question: Question, facts: ProcessFacts) -> None:
        try:
            job = await _ask_desk(facts, question)
        except Exception as error:  # noqa: BLE001 - the handler is told, and decides
            self.send(Refused(error=describe_error(error, traceback_limit=0)))
        else:
            self.send(Granted(job=job))

    async def _receive(self, most: int) -> FromChild:
        size = int.from_bytes(await self._read(LENGTH_BYTES))
        if size > most:
            raise WorkerCrashed(GARBLED)
        try:
            return decode_from_child(await self._read(size))
        except msgspec.MsgspecError as cause:
            raise WorkerCrashed(GARBLED) from cause

    async def _read(self, size: int) -> bytes:
        try:
            return await self._reader.readexactly(size)
        except (asyncio.IncompleteReadError, ConnectionError):
            raise WorkerCrashed(_tell_death(await self._wait_for_death())) from None

    async def _wait_for_death(self) -> int:
        try:
            async with asyncio.timeout(LAST_WORDS_SECONDS):
                return await self._child.wait()
        except TimeoutError:
            self.kill()
            return await self._child.wait()

    async def _watch(self) -> None:
        await self._child.wait()
        # A process that the handler forked may hold the line open: then no end of it is ever read.
        if not (self._writer.is_closing() or self._reader.at_eof()):
            await asyncio.sleep(LAST_WORDS_SECONDS)
        self._writer.transport.abort()
        with suppress(OSError):
            await self._writer.wait_closed()


async def _ask_desk(facts: ProcessFacts, question: Question) -> Job | None:
    if isinstance(question, Enqueue):
        options = {name: getattr(question.options, name) for name in question.named}
        return await facts.desk.enqueue(question.task, question.given, options)
    if isinstance(question, Progress):
        await facts.desk.report_progress(question.value)
    elif isinstance(question, Beat):
        await facts.desk.heartbeat()
    else:
        facts.cost_microcents += question.microcents
    return None


def _open_answer(answer: Answer) -> Any:
    if isinstance(answer, Returned):
        return answer.result
    if isinstance(answer, Ended):
        return msgspec.convert(answer.fields, getattr(outcome, answer.outcome))
    if isinstance(answer, Raised):
        raise rebuild_error(answer)
    assert_never(answer)


def _tell_death(code: int) -> str:
    if code >= 0:
        return f"the process running this job died with exit code {code}"
    number = -code
    name = Signals(number).name if number in set(Signals) else "a signal without a name"
    hint = "; if nobody sent it, the machine ran out of memory" if number == SIGKILL else ""
    return f"the process running this job died by signal {number} ({name}){hint}"


async def _wait_until_gone(processes: "set[HandlerProcess] | list[HandlerProcess]") -> "list[HandlerProcess]":
    """Give them time to go, and tell which did not."""
    if processes:
        await asyncio.wait([process.gone for process in processes], timeout=PARTING_SECONDS)
    return [process for process in processes if not process.gone.done()]
