"""What an agent reports on its run: one transaction a report, fenced by the posting's token."""

from datetime import datetime
from typing import Any

from msgspec.structs import replace

from dibs.apps.postings import store
from dibs.apps.postings.claims import store as run_store
from dibs.apps.postings.claims.approving import judge_approval, note_breach
from dibs.apps.postings.claims.artifacts import is_same, merge_artifacts
from dibs.apps.postings.claims.requests import ProgressReport, check_report
from dibs.apps.postings.claims.runs import FENCED, FINAL, RunState, move_run
from dibs.apps.postings.ledger import store as ledger
from dibs.apps.postings.model import Trigger, move_posting
from dibs.apps.postings.office import Office, lock_name
from dibs.apps.postings.records import Run, Tracked
from dibs.errors import PostingConflict, PostingMalformed, PostingNotFound, RunNotFound
from dibs.storage.sight import sight_of
from dibs.storage.transaction import Transaction


async def record_progress(office: Office, tenant: str, report: ProgressReport) -> Run:
    """Add what an agent reports to its run, renew its claim, and move the posting where a final report leads."""
    check_report(report)
    async with office.places:
        return await _record_in_turn(office, tenant, report)


async def _record_in_turn(office: Office, tenant: str, report: ProgressReport) -> Run:
    async with office.pens, office.tables.writing(sight_of(tenant)) as transaction:
        run, tracked = await _lock_both(transaction, report.run_id)
        after, refusal = await _apply(transaction, run, tracked, report)
        if after is not run:
            await run_store.write_report(transaction, after, report.artifacts)
            await note_breach(transaction, run, after)
            await ledger.note_answers(transaction, run.run_id, report.artifacts, tracked.posting.questions)
        if after is not run or run.state not in FINAL:
            await _write_posting(transaction, office, tracked, after)
    name = lock_name(tenant, tracked.board, tracked.external_id)
    if after.state in FINAL:
        # After the commit: a lock that is given up early lets somebody claim what is not written yet.
        await office.release_lock(name, run.run_id)
    else:
        await office.renew_lock(name, run.run_id)
    if refusal is not None:
        # After the commit: what it would send is kept, so that a person has something to look at.
        raise refusal
    return after


async def _apply(
    transaction: Transaction, run: Run, tracked: Tracked, report: ProgressReport
) -> tuple[Run, PostingConflict | None]:
    """Make the run that a report leads to; the very same one, if the report says nothing new.

    With a refusal it may not submit yet: it stays where it was, and what it reports is kept.
    """
    wanted = report.status or run.state
    merged = merge_artifacts(run.artifacts, report.artifacts)
    error = run.error if report.error is None else report.error
    adds_something = merged.is_changed or error != run.error
    is_known = wanted is run.state and not merged.faults and not adds_something
    await _check_open(transaction, run, tracked, is_known=is_known)
    if is_known:
        return run, None
    if merged.faults:
        raise PostingMalformed(merged.faults)
    after = _go_on(run, wanted, transaction.now, artifacts=merged.artifacts, error=error)
    after, refusal = await judge_approval(transaction, run, tracked, after)
    if refusal is not None:
        after = replace(after, state=run.state, fenced_at=run.fenced_at) if adds_something else run
    return after, refusal


async def _check_open(transaction: Transaction, run: Run, tracked: Tracked, *, is_known: bool) -> None:
    """Refuse a report on a run that is over, unless it only says again what is known, or on one that was superseded."""
    if run.state in FINAL:
        is_own_word = await run_store.find_reported(transaction, run) is run.state
        if not is_known or not (is_own_word or tracked.token == run.token):
            raise _tell_over(run, tracked, is_own_word=is_own_word)
    elif tracked.holder != run.run_id or tracked.token != run.token:
        raise _tell_superseded(run, tracked)


def _tell_over(run: Run, tracked: Tracked, *, is_own_word: bool) -> PostingConflict:
    """Say why nothing can be added to a run that is over: by its own word, a person's, or because it fell silent."""
    if not is_own_word and tracked.token != run.token:
        return _tell_superseded(run, tracked)
    why = "" if is_own_word or not run.error else f" ({run.error[:200]})"
    message = f"run {run.run_id!r} has ended as {run.state}{why}; what it left is frozen. Begin a new run."
    return PostingConflict(message, rule="ended", holder=tracked.holder)


def _tell_superseded(run: Run, tracked: Tracked) -> PostingConflict:
    other = "another run" if tracked.holder is None else f"run {tracked.holder!r}"
    message = f"the claim of run {run.run_id!r} lapsed, and {other} claimed its posting. Stop; nothing was changed."
    return PostingConflict(message, rule="superseded", holder=tracked.holder, retry_at=tracked.expires_at)


def _go_on(run: Run, wanted: RunState, now: datetime, *, artifacts: dict[str, Any], error: str | None) -> Run:
    state = move_run(run.state, wanted)
    if state is None:
        message = f"run {run.run_id!r} is {run.state}, and cannot go back to {wanted}. Report what happened since."
        raise PostingConflict(message, rule="order", holder=run.run_id)
    after = replace(
        run,
        state=state,
        version=run.version + 1,
        artifacts=artifacts,
        error=error,
        updated_at=now,
        fenced_at=run.fenced_at or (now if state in FENCED else None),
        ended_at=now if state in FINAL else None,
    )
    if is_same(artifacts.get("answers"), run.artifacts.get("answers")):
        return after
    # Somebody has let other answers through than these.
    return replace(after, approved_at=None, approved_by=None)


async def _write_posting(transaction: Transaction, office: Office, tracked: Tracked, run: Run) -> None:
    now = transaction.now
    values: dict[str, Any]
    if run.state is RunState.SUCCESS:
        # Expired or rejected meanwhile, it stays so, but it is known that it was applied to.
        state = move_posting(tracked.state, Trigger.SUCCEEDED) or tracked.state
        # What nobody had approved is held all the same: somebody has to look at it.
        holder = None if run.breach is None else run.run_id
        is_held = run.breach is not None
        values = {"applied_run": run.run_id, "holder": holder, "expires_at": None, "is_held": is_held}
    elif run.state is RunState.FAILED:
        others = await run_store.has_other_active(transaction, tracked.id, run.run_id)
        state = move_posting(tracked.state, Trigger.FAILED, has_other_runs=others) or tracked.state
        values = {"holder": None, "expires_at": None, "is_held": False}
    else:
        state = tracked.state
        is_held = run.state is RunState.UNKNOWN or run.breach is not None
        values = {"expires_at": now + office.lease, "is_held": is_held}
    moved = {} if state is tracked.state else {"state": state.value, "reason": "", "state_at": now}
    if not await store.write_claim(transaction, tracked, **values, **moved):
        message = f"run {run.run_id!r} has lost its posting. Stop; nothing was changed."
        raise PostingConflict(message, rule="superseded")


async def _lock_both(transaction: Transaction, run_id: str) -> tuple[Run, Tracked]:
    """Give a run and its posting. The posting is locked first, everywhere: in another order two could wait for ever."""
    seen = await run_store.find_run(transaction, run_id)
    if seen is None:
        message = f"there is no run {run_id!r}. Begin one with a claim."
        raise RunNotFound(message)
    tracked = await store.find_posting(transaction, seen.posting_id, is_locked=True)
    run = await run_store.find_run(transaction, run_id, is_locked=True)
    if tracked is None or run is None:
        message = f"the posting of run {run_id!r} is gone."
        raise PostingNotFound(message)
    return run, tracked
