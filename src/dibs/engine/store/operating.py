"""An operator's act on every job that fits, a page at a time, from the newest to the oldest."""

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

import msgspec

from dibs.engine.states import REVIVABLE, UNFINISHED, State
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import CancelVerdict, OperatorAct, RetryVerdict
from dibs.engine.store.reading import JobFilter, PageRequest
from dibs.errors import BadInput

# Jobs come with their inputs, which may be large.
BATCH = 200
MOST = 10_000
# Pages that a request looks at: where hardly any job fits, it ends before whoever asks has given up.
LOOKS, REACH = 100, 200_000
Verdict = RetryVerdict | CancelVerdict


class Act(StrEnum):
    """What can be done to many jobs."""

    RETRY = "retry"
    CANCEL = "cancel"


FITTING = {Act.RETRY: REVIVABLE, Act.CANCEL: UNFINISHED}
# Whoever cancelled a job meant it; such are put back only when they are named.
USUAL = {Act.RETRY: frozenset({State.FAILED}), Act.CANCEL: UNFINISHED}
DONE: dict[Act, Verdict] = {Act.RETRY: RetryVerdict.RETRIED, Act.CANCEL: CancelVerdict.CANCELLED}


class AllThatFit(msgspec.Struct, frozen=True, kw_only=True):
    """What to do to which jobs; at most `most` are moved, beginning behind `cursor`. `is_dry`: they are counted."""

    act: Act
    wanted: JobFilter
    by: OperatorAct
    most: int = MOST
    cursor: int | None = None
    is_dry: bool = False


class Moved(msgspec.Struct, frozen=True, kw_only=True):
    """How many jobs were moved, and how many not, by what became of them. `next_cursor`: where others may fit."""

    moved: int
    left: dict[str, int]
    next_cursor: int | None = None


async def move_all(backend: Backend, asked: AllThatFit) -> Moved:
    """Move them. Jobs that are stored meanwhile lie before the first page and are left alone, and none is met twice."""
    wanted = msgspec.structs.replace(asked.wanted, states=choose_states(asked.act, asked.wanted.states))
    moved, left, cursor = 0, Counter[str](), asked.cursor
    for _ in range(LOOKS):
        page = PageRequest(cursor=cursor, limit=min(BATCH, asked.most - moved), reach=REACH)
        found = await backend.reader.list_jobs(wanted, page)
        for verdict in await move_named(backend, asked, [job.id for job in found.items]):
            if verdict is DONE[asked.act]:
                moved += 1
            else:
                left[verdict.value] += 1
        cursor = found.next_cursor
        if cursor is None or moved >= asked.most:
            break
    return Moved(moved=moved, left=dict(left), next_cursor=cursor)


def choose_states(act: Act, given: frozenset[State] | None) -> frozenset[State]:
    """Tell which states are meant; one out of which the act leads nowhere is refused."""
    if given is None:
        return USUAL[act]
    others = sorted(given - FITTING[act])
    if others or not given:
        fitting = ", ".join(state for state in State if state in FITTING[act])
        message = f"no job that is {' or '.join(others) or 'in no state'} can be {DONE[act]}. Choose among: {fitting}."
        raise BadInput(message)
    return given


async def move_named(backend: Backend, asked: AllThatFit, job_ids: Sequence[str]) -> Sequence[Verdict]:
    """Do the same to jobs that are named, whether they fit or not."""
    if asked.is_dry:
        return [DONE[asked.act]] * len(job_ids)
    move = backend.retry_jobs if asked.act is Act.RETRY else backend.cancel_jobs
    return await move(job_ids, actor=asked.by.actor, reason=asked.by.reason)
