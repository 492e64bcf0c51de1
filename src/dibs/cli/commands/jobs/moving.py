"""What `dibs jobs retry` and `dibs jobs cancel` do: an operator's act on jobs by id, or on every job that fits."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from dibs.cli.exits import Exit
from dibs.cli.printing import output
from dibs.cli.printing.progress import progress_bar
from dibs.cli.stdin import read_lines
from dibs.cli.stores import on_store
from dibs.engine.store import operating
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import CancelVerdict, RetryVerdict
from dibs.engine.store.operating import DONE, MOST, AllThatFit, Moved, Verdict
from dibs.engine.store.reading import JobFilter
from dibs.errors import BadInput

# So many are moved before the bar goes on: by their ids, and of all that fit.
BATCH, STEP = 500, 1_000

# What each verdict is called, and how the command ends when it occurs.
VERDICTS: dict[str, tuple[str, Exit]] = {
    RetryVerdict.RETRIED: ("pending again", Exit.DONE),
    CancelVerdict.CANCELLED: ("cancelled", Exit.DONE),
    RetryVerdict.MISSING: ("not found: it was never stored, or it was pruned", Exit.NOT_FOUND),
    RetryVerdict.NOT_REVIVABLE: ("left alone: only failed and cancelled jobs can be retried", Exit.CONFLICT),
    RetryVerdict.KEY_TAKEN: ("left alone: another unfinished job has its unique key", Exit.CONFLICT),
    CancelVerdict.ALREADY_FINAL: ("left alone: it is finished already", Exit.CONFLICT),
}


def move_jobs(asked: AllThatFit, job_ids: Sequence[str] | None, url: str | None, *, is_all: bool, as_json: bool) -> int:
    """Move the jobs with these ids, or all that fit, and tell what became of them."""
    if is_all:
        return _move_all(asked, job_ids, url, as_json=as_json)
    _check_alone(asked)
    return _move_named(asked, _read_ids(job_ids or []), url, as_json=as_json)


def _check_alone(asked: AllThatFit) -> None:
    """Refuse options that choose jobs beside ids: one of the two would be ignored."""
    if asked.wanted != JobFilter() or asked.is_dry or asked.most != MOST:
        message = "options that choose jobs need --all. Add it, or give ids alone."
        raise BadInput(message)


def _move_all(asked: AllThatFit, job_ids: Sequence[str] | None, url: str | None, *, as_json: bool) -> int:
    """Move every job that fits, and tell how many."""
    if job_ids:
        message = "--all takes no ids. Give ids, or --all with options that choose jobs."
        raise BadInput(message)
    moved = on_store(url, lambda backend: _move_in_steps(backend, asked))
    if as_json:
        told = {"count": moved.moved, "left_alone": moved.left, "has_more": moved.next_cursor is not None}
        output.show_json({**told, "dry_run": asked.is_dry})
        return Exit.DONE
    output.show_line(f"{moved.moved:,} would be {DONE[asked.act]}" if asked.is_dry else _tell(moved, asked))
    for verdict, count in moved.left.items():
        output.show_line(f"{count:,} {VERDICTS[verdict][0]}")
    if moved.next_cursor is not None:
        output.tell("There are more: run it again, or with a larger --limit.")
    return Exit.DONE


def _tell(moved: Moved, asked: AllThatFit) -> str:
    return f"{moved.moved:,} {VERDICTS[DONE[asked.act]][0]}"


async def _move_in_steps(backend: Backend, asked: AllThatFit) -> Moved:
    moved, left, cursor = 0, Counter[str](), asked.cursor
    with progress_bar("Jobs", None) as advance:
        while moved < asked.most:
            step = msgspec.structs.replace(asked, cursor=cursor, most=min(STEP, asked.most - moved))
            found = await operating.move_all(backend, step)
            moved, cursor = moved + found.moved, found.next_cursor
            left.update(found.left)
            advance(found.moved)
            if cursor is None:
                break
    return Moved(moved=moved, left=dict(left), next_cursor=cursor)


def _move_named(asked: AllThatFit, job_ids: list[str], url: str | None, *, as_json: bool) -> int:
    async def work(backend: Backend) -> list[Verdict]:
        verdicts: list[Verdict] = []
        with progress_bar("Jobs", len(job_ids)) as advance:
            for start in range(0, len(job_ids), BATCH):
                some = job_ids[start : start + BATCH]
                verdicts += await operating.move_named(backend, asked, some)
                advance(len(some))
        return verdicts

    became = list(zip(job_ids, on_store(url, work), strict=True))
    if as_json:
        output.show_json({"results": [{"id": job_id, "verdict": verdict} for job_id, verdict in became]})
    else:
        for job_id, verdict in became:
            output.show_line(f"{job_id}  {VERDICTS[verdict][0]}")
    return max(VERDICTS[verdict][1] for _, verdict in became)


def _read_ids(given: Sequence[str]) -> list[str]:
    listed = [line.strip() for line in read_lines()] if "-" in given else []
    job_ids = list(dict.fromkeys([*(one for one in given if one != "-"), *(line for line in listed if line)]))
    if not job_ids:
        message = (
            "no id was given. Give ids as arguments, or - and one a line on stdin, or --all for every job that fits."
        )
        raise BadInput(message)
    return job_ids
