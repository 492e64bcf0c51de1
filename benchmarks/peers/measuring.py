"""Measuring one peer: storing, draining with one or more processes, and how soon a lone job is picked up."""

import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import msgspec
import psycopg
import redis

from benchmarks.peers.catalogue import Peer, Store
from benchmarks.peers.running import Failed, Program, call, started
from dibs.testing.servers import PostgresServer, ValkeyServer

WARM_UP_JOBS = (1_000, 10_000, 100_000)
WARM_UP_SECONDS = 1.0
LEAST_JOBS, MOST_JOBS = 2_000, 400_000
DRAIN_SECONDS = 7.0
STALL_SECONDS, PATIENCE_SECONDS = 10.0, 45.0
FIRST_PART, LAST_PART = 0.1, 0.97
LEAST_LOOKS = 2
# Looking costs the store something: not more than a fifteenth of its time.
LOOK_SECONDS, LOOK_PART = 0.05, 15
SETTLING_SECONDS = 1.5
PICKUPS, PAUSE_SECONDS = 60, 0.02


class TooFew(Failed):
    """The jobs were done before anything could be measured."""


class Look(msgspec.Struct, frozen=True):
    """How many jobs the store had as finished, and when."""

    at: float
    finished: int


class Drained(msgspec.Struct, kw_only=True):
    """Jobs a second, stored and drained."""

    stored: float
    drained: float


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


def choose_jobs(peer: Peer, command: Sequence[str], persistence: str) -> int:
    """Find out by short drains how many jobs keep one process busy for some seconds."""
    rate = 0.0
    for jobs in WARM_UP_JOBS:
        with suppress(TooFew):
            rate = measure_drain(peer, command, persistence, jobs=jobs, processes=1).drained
            if jobs / rate > WARM_UP_SECONDS:
                break
    return min(MOST_JOBS, max(LEAST_JOBS, round(int(rate * DRAIN_SECONDS), -3)))


def measure_drain(peer: Peer, command: Sequence[str], persistence: str, *, jobs: int, processes: int) -> Drained:
    """Store jobs and have them drained, on a store of its own."""
    with open_store(peer.store, persistence) as url:
        call(command, url, "prepare")
        seconds = call(command, url, "enqueue", str(jobs))["seconds"]
        settle(peer, url)
        return Drained(stored=jobs / seconds, drained=drain(peer, command, url, jobs=jobs, processes=processes))


def measure_enough(
    peer: Peer, command: Sequence[str], persistence: str, *, jobs: int, processes: int
) -> tuple[int, Drained]:
    """Measure with as many jobs as it takes: the first drain of all may be slow, and let too few be chosen."""
    while True:
        try:
            return jobs, measure_drain(peer, command, persistence, jobs=jobs, processes=processes)
        except TooFew:
            if jobs >= MOST_JOBS:
                raise
            jobs = min(MOST_JOBS, jobs * 10)


def settle(peer: Peer, url: str) -> None:
    """Give PostgreSQL the statistics that it would have, had the jobs come over minutes: several peers need them."""
    if peer.store is Store.POSTGRES:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")


def measure_pick_up(peer: Peer, command: Sequence[str], persistence: str) -> float:
    """Tell how long a lone job waits for one idle worker process, the median in milliseconds."""
    with open_store(peer.store, persistence) as url:
        call(command, url, "prepare")
        with started(command, url, "work", "lone") as worker, started(command, url, "enqueue-one") as sender:
            worker.hear("ready")
            sender.hear("ready")
            time.sleep(SETTLING_SECONDS)
            return statistics.median(_time_pick_ups(worker, sender))


def _time_pick_ups(worker: Program, sender: Program) -> Iterator[float]:
    for _ in range(PICKUPS):
        sender.poke()
        yield worker.hear("waited") * 1000
        time.sleep(PAUSE_SECONDS)


def drain(peer: Peer, command: Sequence[str], url: str, *, jobs: int, processes: int) -> float:
    """Tell the rate at which jobs are recorded as finished, from the first tenth to nearly all of them.

    So neither how long a program takes to start counts, nor how it finds out that nothing is left.
    """
    with ExitStack() as running, look_into(peer, url, jobs) as count:
        programs = [running.enter_context(started(command, url, "work")) for _ in range(processes)]
        if processes > 1:
            for program in programs:
                program.hear("ready")
        looks = watch(count, jobs, programs)
    return find_rate(looks, jobs)


def find_rate(looks: Sequence[Look], jobs: int) -> float:
    """Give the rate between the first and the last look that saw the work under way.

    A look at which all was done does not say when it was done.
    """
    under_way = [look for look in looks if jobs * FIRST_PART <= look.finished <= jobs * LAST_PART]
    if len(under_way) < LEAST_LOOKS:
        raise TooFew(f"{jobs} jobs were done in a moment: {len(under_way)} looks saw them under way")
    first, last = under_way[0], under_way[-1]
    return (last.finished - first.finished) / (last.at - first.at)


def watch(count: Callable[[], int], jobs: int, programs: Sequence[Program]) -> list[Look]:
    """Look until nearly all are finished."""
    looks: list[Look] = []
    begin = moved_at = time.monotonic()
    while not looks or looks[-1].finished <= jobs * LAST_PART:
        looked_at = time.monotonic()
        looks.append(Look(at=looked_at, finished=count()))
        if len(looks) < LEAST_LOOKS or looks[-1].finished > looks[-2].finished:
            moved_at = looked_at
        if looked_at - moved_at > STALL_SECONDS or looked_at - begin > PATIENCE_SECONDS:
            words = " | ".join(program.last_words() for program in programs)
            done = f"{looks[-1].finished} of {jobs} jobs after {looked_at - begin:.0f} s"
            raise Failed(f"{done}; it said: {words}")
        for program in programs:
            program.check_running()
        time.sleep(max(LOOK_SECONDS, LOOK_PART * (time.monotonic() - looked_at)))
    return looks


@contextmanager
def look_into(peer: Peer, url: str, stored: int) -> Iterator[Callable[[], int]]:
    """Give a function that counts the finished jobs in the store itself."""
    if callable(peer.finished):
        with redis.Redis.from_url(url) as client:
            yield lambda: peer.finished(client, stored)  # type: ignore[operator]
    elif peer.store is Store.POSTGRES:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("SET max_parallel_workers_per_gather = 0")
            question = peer.finished.format(stored=stored)
            yield lambda: connection.execute(question).fetchone()[0]  # type: ignore[index]
    else:
        file = sqlite3.connect(url.removeprefix("sqlite:///"), timeout=30, isolation_level=None)
        try:
            question = peer.finished.format(stored=stored)
            yield lambda: file.execute(question).fetchone()[0]
        finally:
            file.close()
