"""Measuring one peer: storing, draining with one or more processes, and how soon a lone job is picked up."""

import json
import os
import signal
import sqlite3
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import redis

from benchmarks.peers.catalogue import Peer, Store
from dibs.testing.servers import PostgresServer, ValkeyServer

PATIENCE_SECONDS = 60.0
FIRST_PART, LAST_PART = 0.1, 0.95
LOOK_SECONDS = 0.05
PICKUPS = 60


class Failed(Exception):
    """A peer did not do its work in time, or said something unexpected."""


class Figures(msgspec.Struct, kw_only=True):
    """What one run of one peer gave. Rates are jobs a second; NaN: not measured."""

    stored: float = float("nan")
    drained: dict[int, float] = {}
    picked_up_ms: float = float("nan")


@contextmanager
def open_store(kind: Store, persistence: str) -> Iterator[str]:
    """Give the URL of an empty durable store."""
    if kind is Store.POSTGRES:
        with PostgresServer(durable=True) as server:
            yield server.url
    elif kind is Store.REDIS:
        with ValkeyServer(persistence=persistence) as server:  # type: ignore[arg-type]
            yield server.url
    else:
        with tempfile.TemporaryDirectory(prefix="dibs-peers-") as folder:
            yield f"sqlite:///{Path(folder) / 'jobs.db'}"


def measure(peer: Peer, command: Sequence[str], processes: Sequence[int], *, scale: float, persistence: str) -> Figures:
    """Measure a peer on stores of its own."""
    figures = Figures(drained={})
    jobs = max(1_000, int(peer.jobs * scale))
    for count in processes:
        with open_store(peer.store, persistence) as url:
            call(command, url, "prepare")
            seconds = call(command, url, "enqueue", str(jobs))["seconds"]
            figures.stored = jobs / seconds
            figures.drained[count] = drain(peer, command, url, jobs=jobs, processes=count)
    if peer.program != "raw.py":
        with open_store(peer.store, persistence) as url:
            call(command, url, "prepare")
            figures.picked_up_ms = pick_up(command, url)
    return figures


def call(command: Sequence[str], url: str, *rest: str) -> dict[str, Any]:
    """Run a program to its end; gives the last thing it told."""
    done = subprocess.run([*command, url, *rest], capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
    if done.returncode:
        raise Failed(f"{rest[0]}: {done.stderr.strip()[-400:]}")
    told = [line for line in done.stdout.splitlines() if line.startswith("{")]
    answer: dict[str, Any] = json.loads(told[-1]) if told else {}
    return answer


@contextmanager
def started(command: Sequence[str], url: str, *rest: str) -> Iterator[subprocess.Popen[str]]:
    """Run a program in a group of its own, for some of them start others; end all of it."""
    process = subprocess.Popen(
        [*command, url, *rest],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        for sign in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, sign)
                process.wait(timeout=5)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                continue
        process.wait()


def drain(peer: Peer, command: Sequence[str], url: str, *, jobs: int, processes: int) -> float:
    """Tell the rate at which jobs are recorded as finished, from the first tenth to nearly all of them.

    So neither how long a program takes to start counts, nor how it finds out that nothing is left.
    """
    with ExitStack() as running, look_into(peer, url, jobs) as count:
        for _ in range(processes):
            running.enter_context(started(command, url, "work"))
        first = wait_for(count, jobs * FIRST_PART)
        last = wait_for(count, jobs * LAST_PART)
    return (last[1] - first[1]) / (last[0] - first[0])


def wait_for(count: Callable[[], int], least: float) -> tuple[float, int]:
    """Look until so many are finished; tells when, and how many it were."""
    ends_at = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < ends_at:
        finished = count()
        if finished >= least:
            return time.monotonic(), finished
        time.sleep(LOOK_SECONDS)
    raise Failed(f"{count()} of {least:.0f} jobs after {PATIENCE_SECONDS:.0f} s")


@contextmanager
def look_into(peer: Peer, url: str, stored: int) -> Iterator[Callable[[], int]]:
    """Give a function that counts the finished jobs in the store itself."""
    if callable(peer.finished):
        with redis.Redis.from_url(url) as client:
            yield lambda: peer.finished(client, stored)  # type: ignore[operator]
    elif peer.store is Store.POSTGRES:
        with psycopg.connect(url, autocommit=True) as connection:
            question = peer.finished.format(stored=stored)
            yield lambda: connection.execute(question).fetchone()[0]  # type: ignore[arg-type, index]
    else:
        connection = sqlite3.connect(url.removeprefix("sqlite:///"), timeout=30, isolation_level=None)
        try:
            question = peer.finished.format(stored=stored)
            yield lambda: connection.execute(question).fetchone()[0]
        finally:
            connection.close()


def pick_up(command: Sequence[str], url: str) -> float:
    """Tell how long a lone job waits for one idle worker process, the median in milliseconds."""
    with started(command, url, "work") as worker, started(command, url, "enqueue-one") as sender:
        if sender.stdin is None:
            raise Failed("no pipe")
        hear(worker)
        hear(sender)
        time.sleep(1.0)
        waits = []
        for _ in range(PICKUPS):
            sender.stdin.write("\n")
            sender.stdin.flush()
            waits.append(hear(worker)["waited"] * 1000)
            time.sleep(0.02)
    return statistics.median(waits)


def hear(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Give the next thing that a program tells; some of them chat in between."""
    for line in process.stdout or ():
        if line.startswith("{"):
            told: dict[str, Any] = json.loads(line)
            return told
    raise Failed("it ended without a word")
