"""Watching the diaries grow: who is at work on what, and how much gets done."""

import asyncio
import os
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from dibs.torture.history.reading import Tail
from dibs.torture.history.records import Answered, Asked, Began, Move, Outcome, Started

LOOK = 0.05
WINDOW = 3.0
CANCELLED = "cancelled"
OF_INTEREST = (Move.COMPLETE, Move.ENQUEUE, Move.CANCEL)
PUT_BACK = (Move.FAIL, Move.SNOOZE, Move.RETRY)


class Watch:
    """Reads what is new whenever it is asked something."""

    def __init__(self, folder: Path) -> None:
        self._tail = Tail(folder)
        self._asked: dict[tuple[str, int], Asked] = {}
        self._stored: dict[str, float] = {}
        self._over: dict[str, float] = {}
        self.finished: list[float] = []
        self._put_back: set[str] = set()
        # When a job was finished, and how long after it was stored. Jobs that were put back in between are left out.
        self.latencies: list[tuple[float, float]] = []
        self.began: defaultdict[str, list[Began]] = defaultdict(list)
        self.pids: dict[int, str] = {}

    def look(self) -> None:
        """Read on."""
        for process, record in self._tail.read_news():
            if isinstance(record, Asked):
                self._note_question(process, record)
            elif isinstance(record, Answered) and (process, record.number) in self._asked:
                self._note_answer(self._asked.pop((process, record.number)), record)
            elif isinstance(record, Began):
                self.began[record.job].append(record)
            elif isinstance(record, Started):
                self.pids[record.pid] = record.worker

    def _note_question(self, process: str, asked: Asked) -> None:
        if asked.move in OF_INTEREST:
            self._asked[process, asked.number] = asked
        elif asked.move in PUT_BACK:
            self._put_back.update(asked.jobs)

    def _note_answer(self, asked: Asked, answered: Answered) -> None:
        if answered.outcome is not Outcome.OK:
            return
        for job_id, answer in zip(asked.jobs, answered.answers, strict=True):
            if asked.move is Move.ENQUEUE:
                self._note_stored(job_id, answered.at)
            elif answer is True or answer == CANCELLED:
                self._note_over(job_id, answered.at, is_finished=asked.move is Move.COMPLETE)

    def _note_stored(self, job_id: str, at: float) -> None:
        """Diaries are read one after another: the end of a job may be known before its beginning."""
        over_at = self._over.pop(job_id, None)
        if over_at is None:
            self._stored[job_id] = at
        else:
            self._note_latency(job_id, at, over_at)

    def _note_over(self, job_id: str, at: float, *, is_finished: bool) -> None:
        if is_finished:
            self.finished.append(at)
        stored_at = self._stored.pop(job_id, None)
        if stored_at is None:
            self._over[job_id] = at
        elif is_finished:
            self._note_latency(job_id, stored_at, at)

    def _note_latency(self, job_id: str, stored_at: float, over_at: float) -> None:
        if job_id not in self._put_back:
            self.latencies.append((over_at, max(over_at - stored_at, 0.0)))

    def workers(self, crew: str = "") -> list[int]:
        """Give the worker processes that are alive, of one crew or of all."""
        self.look()
        return [pid for pid, name in self.pids.items() if name.startswith(crew) and is_alive(pid)]

    async def until_at_work(self, workers: int, seconds: float) -> bool:
        """Wait until so many workers are there and something was finished."""
        return await _until(lambda: len(self.workers()) >= workers and bool(self.finished), seconds)

    async def until_caught_up(self, backlog: float, seconds: float) -> bool:
        """Wait until no more jobs wait than this; what piled up must not count as what workers can do."""

        def is_caught_up() -> bool:
            self.look()
            return len(self._stored) <= backlog

        return await _until(is_caught_up, seconds)

    async def until_begun(self, job_id: str, seconds: float, times: int = 1) -> Began | None:
        """Wait until a handler has begun to work on a job; tells which one did last."""

        def has_begun() -> bool:
            self.look()
            return len(self.began[job_id]) >= times

        return self.began[job_id][-1] if await _until(has_begun, seconds) else None

    def rate(self, begin: float, end: float) -> float:
        """How many jobs were finished a second between two instants."""
        self.look()
        return sum(begin <= at < end for at in self.finished) / max(end - begin, 1e-9)

    async def until_rate(self, goal: float, since: float, seconds: float) -> float | None:
        """Wait until a whole window reaches a rate; tells how long after `since` it began, or None if it never did."""
        begin = since
        while begin - since <= seconds:
            if time.monotonic() >= begin + WINDOW:
                if self.rate(begin, begin + WINDOW) >= goal:
                    return begin - since
                begin += 0.5
                continue
            await asyncio.sleep(LOOK * 2)
        return None


async def _until(is_true: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not is_true():
        if time.monotonic() > end:
            return False
        await asyncio.sleep(LOOK)
    return True


def is_alive(pid: int) -> bool:
    """Tell whether a process is there, and is no mere entry that nobody has read yet."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        state = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        # Either it went between the two looks, or this system tells nothing of processes: then the signal knew.
        return not Path("/proc/self/stat").exists()
    return state.rpartition(")")[2].split()[0] != "Z"
