"""Recording how jobs ended, in guarded batches."""

import asyncio
from collections.abc import Sequence
from typing import Any, cast

from dibs.engine import events
from dibs.engine.failure import FailureKind, describe_error
from dibs.engine.job import AttemptOutcome
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import Completion, Deferral, Drop, Failure
from dibs.engine.worker.holdings import Held, Holdings
from dibs.engine.worker.reach import Doing, Reach
from dibs.errors import DibsError, OutcomeUnknown, StoreUnavailable
from dibs.kit.backoff import exponential
from dibs.kit.log import get_logger
from dibs.kit.pauses import FIRST_PAUSE, LONGEST_PAUSE

log = get_logger("dibs.finishing")

Ending = Completion | Failure | Deferral | Drop
MOST_AT_ONCE = 2_000


class Finishing:
    """Collects endings and writes them as soon as the last batch is written.

    A lone ending goes out at once; under load, what comes while a batch is under way makes up the next one. An ending
    is tried again until the store accepts or refuses it: a store that was away loses nothing that finished meanwhile.
    """

    def __init__(self, backend: Backend, holdings: Holdings, reach: Reach) -> None:
        self._backend = backend
        self._holdings = holdings
        self._reach = reach
        self._tell = reach.tell
        self._waiting: list[tuple[Held, Ending]] = []
        self._news = asyncio.Event()
        self._written = asyncio.Event()
        self._written.set()

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, held: Held, ending: Ending) -> None:
        """Have an ending recorded."""
        self._waiting.append((held, ending))
        if len(self._waiting) == 1:
            self._written.clear()
            self._news.set()

    async def relief(self) -> None:
        """Wait until everything is written."""
        await self._written.wait()

    async def run(self) -> None:
        """Write what comes, until cancelled."""
        while True:
            await self._news.wait()
            # One turn of the loop, so that jobs which end together are written together.
            await asyncio.sleep(0)
            await self._write_all()

    async def _write_all(self) -> None:
        while batch := self._waiting[:MOST_AT_ONCE]:
            await self._write_surely(batch)
            del self._waiting[: len(batch)]
            self._holdings.remove([held.lease for held, _ in batch])
        self._news.clear()
        self._written.set()

    async def _write_surely(self, batch: Sequence[tuple[Held, Ending]]) -> None:
        was_sent, failures = False, 0
        while True:
            try:
                moved = await self._write(batch)
                done_before = await self._find_done(batch, moved) if was_sent else set()
            except StoreUnavailable as error:
                was_sent = was_sent or isinstance(error, OutcomeUnknown)
                self._reach.failed(error, Doing.FINISHING)
                await asyncio.sleep(
                    exponential(FIRST_PAUSE, factor=2, cap=LONGEST_PAUSE, step=failures).total_seconds()
                )
                failures += 1
            else:
                self._reach.answered(Doing.FINISHING)
                self._tell_all(batch, moved, done_before)
                return

    async def _write(self, batch: Sequence[tuple[Held, Ending]]) -> list[bool]:
        endings = [ending for _, ending in batch]
        try:
            return await self._write_by_kind(endings)
        except StoreUnavailable:
            raise
        except DibsError:
            # One ending that the store refuses must not hold up the others.
            log.warning("engine.endings.refused", endings=len(endings))
            return [await self._write_alone(ending) for ending in endings]

    async def _write_alone(self, ending: Ending) -> bool:
        try:
            return (await self._write_by_kind([ending]))[0]
        except StoreUnavailable:
            raise
        except DibsError as error:
            log.warning("engine.ending.refused", job_id=ending.lease.job_id, error=type(error).__name__)
            return await self._fail_instead(ending, error)

    async def _fail_instead(self, ending: Ending, error: DibsError) -> bool:
        """A job whose ending cannot be recorded has failed, for a reason that can be."""
        failure = Failure(lease=ending.lease, error=describe_error(error), kind=FailureKind.PERMANENT)
        try:
            return (await self._backend.fail_jobs([failure]))[0] is not None
        except StoreUnavailable:
            raise
        except DibsError:
            return False

    async def _write_by_kind(self, endings: Sequence[Ending]) -> list[bool]:
        if set(map(type, endings)) == {Completion}:
            return await self._backend.complete_jobs(cast("list[Completion]", endings))
        moved: dict[int, bool] = {}
        for kind, write in self._writers().items():
            chosen = [index for index, ending in enumerate(endings) if type(ending) is kind]
            if chosen:
                answers = await write([endings[index] for index in chosen])
                moved.update(zip(chosen, (bool(answer) for answer in answers), strict=True))
        return [moved[index] for index in range(len(endings))]

    def _writers(self) -> dict[type, Any]:
        backend = self._backend
        return {
            Completion: backend.complete_jobs,
            Failure: backend.fail_jobs,
            Deferral: backend.snooze_jobs,
            Drop: backend.drop_jobs,
        }

    async def _find_done(self, batch: Sequence[tuple[Held, Ending]], moved: Sequence[bool]) -> set[Held]:
        """An earlier try of ours may have gone through although its answer was lost: then the token is still ours."""
        doubtful = [held for (held, _), has_moved in zip(batch, moved, strict=True) if not has_moved]
        found = await self._backend.reader.find_jobs([held.job.id for held in doubtful]) if doubtful else []
        return {
            held
            for held, job in zip(doubtful, found, strict=True)
            if job is not None and job.lease_token == held.lease.token and job.state is not State.RUNNING
        }

    def _tell_all(self, batch: Sequence[tuple[Held, Ending]], moved: Sequence[bool], done_before: set[Held]) -> None:
        if all(moved) and not self._tell.is_watched:
            return
        for (held, ending), has_moved in zip(batch, moved, strict=True):
            if has_moved or held in done_before:
                self._tell.emit(_name_event(ending), **_facts(held, ending))
            else:
                self._tell.emit(events.LEASE_LOST, job_id=held.job.id, token=held.lease.token, at="finishing")


_EVENTS = {
    Completion: events.JOB_SUCCEEDED,
    Failure: events.JOB_ERRORED,
    Deferral: events.JOB_SNOOZED,
    Drop: events.JOB_DROPPED,
}


def _name_event(ending: Ending) -> str:
    if isinstance(ending, Deferral) and ending.outcome is AttemptOutcome.RELEASED:
        return events.JOB_RELEASED
    return _EVENTS[type(ending)]


def _facts(held: Held, ending: Ending) -> dict[str, Any]:
    facts = held.describe()
    if isinstance(ending, Failure):
        return facts | {"error": ending.error.type, "kind": ending.kind.value}
    return facts
