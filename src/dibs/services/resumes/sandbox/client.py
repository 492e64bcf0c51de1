"""The other end of the warm parent: hands over documents, and makes answers of how their children end."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Self

import msgspec

from dibs.errors import UnreadableDocument
from dibs.services.resumes.flags import Refusal, refuse
from dibs.services.resumes.sandbox.allowance import Allowance
from dibs.services.resumes.sandbox.requests import Answer, Ending, Order, Request, Scan
from dibs.services.resumes.sandbox.wire import ANSWER, ENDING, READY, Frame, pack_order, receive_frames

START_SECONDS = 120.0
SLACK_SECONDS = 60.0
MEBIBYTE = 1024 * 1024
KEPT_VARIABLES = ("TESSDATA_PREFIX", "LD_LIBRARY_PATH")
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OMP_THREAD_LIMIT", "MKL_NUM_THREADS")
OUT_OF_CPU = (-signal.SIGXCPU, -signal.SIGKILL)


class Sandbox:
    """Opens documents in children. May be used by many threads and tasks at once; close it in the end."""

    def __init__(self, allowance: Allowance | None = None, *, is_warm: bool = True) -> None:
        self.allowance = allowance or Allowance()
        self._warmth = "warm" if is_warm else "cold"
        # As many children at once as there are cores: more would only make each other late. Pictures take seconds each,
        # so they have threads of their own: somebody waits for the text of a document.
        self._threads, self._scan_threads = (_make_threads(name) for name in ("resumes", "resumes-scans"))
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the warm parent and its children."""
        with self._lock:
            self._stop()
        for threads in (self._threads, self._scan_threads):
            threads.shutdown(wait=False, cancel_futures=True)

    def start(self) -> None:
        """Start the warm parent now, instead of at the first document."""
        with self._lock:
            self._ready()

    def run(self, request: Request, data: bytes = b"", *, allowance: Allowance | None = None) -> Answer:
        """Do one thing in a child; `UnreadableDocument` says why it could not be done."""
        order = Order(request, allowance or self.allowance)
        ours = self._hand_over()
        try:
            return self._ask(ours, order, data)
        finally:
            ours.close()

    async def call(self, request: Request, data: bytes = b"", *, allowance: Allowance | None = None) -> Answer:
        """Do the same without holding up a loop. When the caller is cancelled, the child is ended."""
        order = Order(request, allowance or self.allowance)
        loop = asyncio.get_running_loop()
        threads = self._scan_threads if isinstance(request, Scan) else self._threads
        handing = threads.submit(self._hand_over)
        try:
            ours = await asyncio.wrap_future(handing)
        except BaseException:
            # Nobody waits for the connection any more, and its thread goes on: it is closed when it is there.
            handing.add_done_callback(_close_late)
            raise
        try:
            return await loop.run_in_executor(threads, self._ask, ours, order, data)
        finally:
            with suppress(OSError):
                ours.shutdown(socket.SHUT_RDWR)
            ours.close()

    def _hand_over(self) -> socket.socket:
        """Open a connection, and give its other end to the warm parent; one that died is started again, once."""
        with self._lock:
            for is_last in (False, True):
                ours, theirs = socket.socketpair()
                try:
                    socket.send_fds(self._ready(), [b"c"], [theirs.fileno()])
                except OSError:
                    ours.close()
                    self._stop()
                    if is_last:
                        raise
                else:
                    return ours
                finally:
                    theirs.close()
        raise AssertionError

    def _ask(self, ours: socket.socket, order: Order, data: bytes) -> Answer:
        ours.settimeout(order.allowance.wall_seconds + SLACK_SECONDS)
        try:
            for part in pack_order(msgspec.msgpack.encode(order), data):
                ours.sendall(part)
            frames = receive_frames(ours)
        except TimeoutError:
            raise refuse(Refusal.TOO_SLOW, limit=f"{order.allowance.wall_seconds:g} seconds") from None
        except OSError:
            frames = []
        return read_answer(frames, order.allowance)

    def _ready(self) -> socket.socket:
        if self._control is not None and self._process is not None and self._process.poll() is None:
            return self._control
        self._stop()
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-m", "dibs.services.resumes.sandbox.nursery", str(theirs.fileno()), self._warmth]
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=_environment(),
                cwd=tempfile.gettempdir(),
                pass_fds=[theirs.fileno()],
                # Ctrl-C goes to a whole group: what is being read may be finished all the same.
                process_group=0,
            )
        self._control = ours
        self._await_ready(ours)
        return ours

    def _await_ready(self, ours: socket.socket) -> None:
        try:
            ours.settimeout(START_SECONDS)
            is_ready = ours.recv(1) == READY
            ours.settimeout(None)
        except OSError:
            self._stop()
            raise
        if not is_ready:
            self._stop()
            raise OSError("the process that reads documents did not start; its error is above")

    def _stop(self) -> None:
        if self._control is not None:
            self._control.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._control = self._process = None


def _make_threads(name: str) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=(os.cpu_count() or 1), thread_name_prefix=name)


def _close_late(handing: Future[socket.socket]) -> None:
    if not handing.cancelled() and handing.exception() is None:
        handing.result().close()


def _environment() -> dict[str, str]:
    """Give the warm parent no secret: only where its packages are, and that one thread is enough."""
    package = str(Path(__file__).resolve().parents[4])
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    return {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "PYTHONPATH": package,
        "PYTHONDONTWRITEBYTECODE": "1",
        **dict.fromkeys(ONE_THREAD, "1"),
        **kept,
    }


def read_answer(frames: list[Frame], allowance: Allowance) -> Answer:
    """Make an answer, or the error that says what happened, of what came back."""
    bodies = {frame.kind: frame.body for frame in frames}
    if ANSWER in bodies:
        answer = msgspec.msgpack.decode(bodies[ANSWER], type=Answer)
        if answer.refusal:
            raise UnreadableDocument(answer.message, code=answer.refusal)
        return answer
    ending = msgspec.msgpack.decode(bodies[ENDING], type=Ending) if ENDING in bodies else Ending(code=-9)
    raise _explain(ending, allowance, is_known=ENDING in bodies)


def _explain(ending: Ending, allowance: Allowance, *, is_known: bool) -> UnreadableDocument:
    if ending.late:
        return refuse(Refusal.TOO_SLOW, limit=f"{allowance.wall_seconds:g} seconds")
    if is_known and ending.code in OUT_OF_CPU:
        return refuse(Refusal.TOO_SLOW, limit=f"{allowance.cpu_seconds:g} seconds of computing")
    if ending.code < 0 and ending.most_bytes > 0.8 * allowance.memory_bytes:
        return refuse(Refusal.OUT_OF_MEMORY, limit=f"{allowance.memory_bytes // MEBIBYTE:,} MiB")
    what = f"its reader ended with signal {-ending.code}" if ending.code < 0 else "its reader ended early"
    return refuse(Refusal.CRASHED, what=what)
