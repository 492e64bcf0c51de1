"""Running the programs of the peers: what they tell, what else they say, and their end."""

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

CALL_SECONDS = 60.0
HEAR_SECONDS = 15.0
LISTEN_SECONDS = 0.002
TAIL_BYTES = 1_200


class Failed(Exception):
    """A peer did not do its work in time, or said something unexpected."""


class Program:
    """A program that runs. Whatever it says goes into a file, so that a talkative one never waits for a listener."""

    def __init__(self, process: subprocess.Popen[bytes], said: IO[bytes]) -> None:
        self._process = process
        self._said = said
        self._heard = 0

    def poke(self) -> None:
        """Send it an empty line."""
        if self._process.stdin is None:
            raise Failed("it has no standard input")
        self._process.stdin.write(b"\n")
        self._process.stdin.flush()

    def hear(self, key: str) -> Any:
        """Wait until it tells something of that name."""
        ends_at = time.monotonic() + HEAR_SECONDS
        while time.monotonic() < ends_at:
            for facts in self.listen():
                if key in facts:
                    return facts[key]
            self.check_running()
            time.sleep(LISTEN_SECONDS)
        raise Failed(f"it told no {key!r} in {HEAR_SECONDS:.0f} s; it said: {self.last_words()}")

    def check_running(self) -> None:
        """Fail if it has ended."""
        if self._process.poll() is not None:
            raise Failed(f"it ended with {self._process.returncode}; it said: {self.last_words()}")

    def last_words(self) -> str:
        """Give the end of what it said."""
        size = self._said.seek(0, os.SEEK_END)
        self._said.seek(max(0, size - TAIL_BYTES))
        return self._said.read().decode(errors="replace").strip() or "nothing"

    def wait(self) -> None:
        """Wait for its end, which must be a good one."""
        try:
            code = self._process.wait(CALL_SECONDS)
        except subprocess.TimeoutExpired:
            raise Failed(f"not done in {CALL_SECONDS:.0f} s; it said: {self.last_words()}") from None
        if code:
            raise Failed(f"it ended with {code}; it said: {self.last_words()}")

    def end(self) -> None:
        """Kill it and whatever it started: its store is thrown away anyway."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        if self._process.stdin is not None:
            with suppress(BrokenPipeError):
                self._process.stdin.close()

    def listen(self) -> Iterator[dict[str, Any]]:
        """Give what it told since the last time; chat is passed over."""
        self._said.seek(self._heard)
        for line in self._said:
            if not line.endswith(b"\n"):
                return
            self._heard += len(line)
            if facts := read_facts(line):
                yield facts


@contextmanager
def started(command: Sequence[str], *arguments: str) -> Iterator[Program]:
    """Run a program in a group of its own, for some of them start others."""
    with tempfile.NamedTemporaryFile("ab") as mouth, Path(mouth.name).open("rb") as ear:
        process = subprocess.Popen(
            [*command, *arguments],
            stdin=subprocess.PIPE,
            stdout=mouth,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        program = Program(process, ear)
        try:
            yield program
        finally:
            program.end()


def call(command: Sequence[str], *arguments: str) -> dict[str, Any]:
    """Run a program to its end; gives the last facts it told."""
    with started(command, *arguments) as program:
        program.wait()
        return [{}, *program.listen()][-1]


def read_facts(line: bytes) -> dict[str, Any]:
    """Read a line of JSON; anything else is chat, and gives nothing."""
    if not line.startswith(b"{"):
        return {}
    try:
        facts: dict[str, Any] = json.loads(line)
    except ValueError:
        return {}
    return facts
