"""Whether a person has let a run submit: given, asked before it does, and noted where an agent did not wait."""

from collections.abc import Sequence
from enum import StrEnum

from dibs.apps.postings import store
from dibs.apps.postings.answers import find_guessed, needs_approval, read_answers
from dibs.apps.postings.claims import store as run_store
from dibs.apps.postings.claims.artifacts import is_same
from dibs.apps.postings.claims.runs import LEASE, RunState
from dibs.apps.postings.ledger import store as ledger
from dibs.apps.postings.model import Question
from dibs.apps.postings.office import Office
from dibs.apps.postings.profiles import store as profiles
from dibs.apps.postings.records import Awaiting, By, Run, Tracked
from dibs.errors import PostingConflict, RunNotFound
from dibs.storage.sight import sight_of
from dibs.storage.transaction import Transaction

AGENT = "agent"
_SENT = frozenset({RunState.SUBMITTED, RunState.SUCCESS})


class Breach(StrEnum):
    """What an agent did that it may not. APPROVAL: it submitted what no person had let through."""

    APPROVAL = "approval"


async def judge_approval(
    transaction: Transaction, run: Run, tracked: Tracked, after: Run
) -> tuple[Run, PostingConflict | None]:
    """Refuse to let a run submit that a person has to approve first; give what is known of one that did not ask.

    What has been sent cannot be refused any more: not to write it down would let the next agent send it again.
    """
    is_changed = not is_same(after.artifacts.get("answers"), run.artifacts.get("answers"))
    if after.state not in _SENT | {RunState.SUBMITTING} or (run.fenced_at is not None and not is_changed):
        return after, None
    guessed = await _find_guessed(transaction, after, tracked.posting.questions)
    policy = await store.find_policy(transaction, tracked.board)
    if not needs_approval(policy.approval, guessed, is_approved=after.approved_at is not None):
        return after, None
    if after.state is RunState.SUBMITTING and run.fenced_at is None:
        about = f" (it answers {', '.join(guessed[:3])})" if guessed else ""
        message = (
            f"a person has to approve run {run.run_id!r} before it submits{about}. Send the same again until somebody"
            f" has, at least every {LEASE.total_seconds():.0f} s: else the claim lapses."
        )
        return after, PostingConflict(message, rule="approval", holder=run.run_id)
    return after.breaking(Breach.APPROVAL), None


async def note_breach(transaction: Transaction, run: Run, after: Run) -> None:
    """Put a breach that is new into the posting's timeline, and so into the audit log."""
    if after.breach is not None and run.breach is None:
        reason = f"run {run.run_id} reported {after.state} without {after.breach}"
        await store.add_act(transaction, run.posting_id, "RUN_UNAPPROVED", actor=f"{AGENT}:{run.run_id}", reason=reason)


async def approve_run(office: Office, tenant: str, run_id: str, by: By, *, version: int | None = None) -> None:
    """Let a run submit; with a version, only as it was then."""
    async with office.tables.writing(sight_of(tenant)) as transaction:
        # Locked, so that the answers that are approved are those that it has.
        run = await run_store.find_run(transaction, run_id, is_locked=True)
        if run is None:
            message = f"there is no run {run_id!r}. Those at a posting: dibs postings show JOB_ID."
            raise RunNotFound(message)
        if version not in (None, run.version):
            message = f"run {run_id!r} has reported since: {run.version} reports, and you saw {version}. Look again."
            raise PostingConflict(message, rule="changed", holder=run_id)
        if not await run_store.approve(transaction, run_id, by.actor):
            message = f"run {run_id!r} is {run.state}; only a pending one can be approved."
            raise PostingConflict(message, rule="order", holder=run_id)
        # Whoever lets a run submit has seen what it answers.
        tracked = await store.find_posting(transaction, run.posting_id)
        form = () if tracked is None else tracked.posting.questions
        await ledger.approve_answers(transaction, run.artifacts, by.actor, form)
        await store.add_act(transaction, run.posting_id, "RUN_APPROVED", actor=by.actor, reason=by.reason)
    await office.forward_acts(tenant)


async def list_awaiting(transaction: Transaction, limit: int) -> list[Awaiting]:
    """Read the runs that a person has to approve before they submit, as far as they have told what they answer."""
    found = []
    for run in await run_store.list_unapproved(transaction, limit):
        tracked = await store.find_posting(transaction, run.posting_id)
        if tracked is None:
            continue
        form = tracked.posting.questions
        guessed = await _find_guessed(transaction, run, form)
        policy = await store.find_policy(transaction, tracked.board)
        if needs_approval(policy.approval, guessed, is_approved=False):
            answers = len(read_answers(run.artifacts.get("answers"), form))
            found.append(Awaiting(run=run, posting=tracked, answers=answers, guessed=tuple(guessed)))
    return found


async def find_waiting(transaction: Transaction, tracked: Tracked, runs: Sequence[Run]) -> dict[str, list[str]]:
    """Tell which runs at a posting submit nothing before a person approves them, and what each has guessed."""
    policy = await store.find_policy(transaction, tracked.board)
    waiting = {}
    for run in runs:
        if run.run_id == tracked.holder and run.state is RunState.PENDING and run.approved_at is None:
            guessed = await _find_guessed(transaction, run, tracked.posting.questions)
            if needs_approval(policy.approval, guessed, is_approved=False):
                waiting[run.run_id] = guessed
    return waiting


async def _find_guessed(transaction: Transaction, run: Run, form: Sequence[Question]) -> list[str]:
    answers = run.artifacts.get("answers")
    if answers is None:
        return []
    usable = await ledger.find_usable(transaction, run.artifacts, form)
    # What the person whose resume is sent says about themselves goes before what others were answered for.
    return find_guessed(answers, usable | await profiles.find_own_answers(transaction, run.variant_id), form)
