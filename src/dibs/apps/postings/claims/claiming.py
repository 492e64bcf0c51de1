"""Claiming a posting, and reporting on it: one transaction each, fenced by the posting's token."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from dibs.apps.postings import store
from dibs.apps.postings.claims import store as run_store
from dibs.apps.postings.claims.approving import find_policy, judge_approval, note_breach
from dibs.apps.postings.claims.artifacts import is_same, merge_artifacts
from dibs.apps.postings.claims.crowds.joining import Begun
from dibs.apps.postings.claims.kinship import find_role_kin, find_text_kin, join_kin
from dibs.apps.postings.claims.reconciling import settle
from dibs.apps.postings.claims.refusing import Sighted, choose_named, explain, stand_of, tell_missing
from dibs.apps.postings.claims.requests import ClaimRequest, ProgressReport, check_claim, check_report
from dibs.apps.postings.claims.runs import FENCED, FINAL, Refusal, Rule, RunState, judge_claim, move_run
from dibs.apps.postings.identity import Ring
from dibs.apps.postings.ledger import store as ledger
from dibs.apps.postings.limits.actions import judge_caps
from dibs.apps.postings.limits.store import list_caps
from dibs.apps.postings.model import PostingState, Trigger, move_posting
from dibs.apps.postings.office import Office, lock_name
from dibs.apps.postings.records import BoardPolicy, Kin, RoleRule, Run, Tracked
from dibs.errors import PostingConflict, PostingMalformed, PostingNotFound, RunNotFound
from dibs.storage.sight import sight_of
from dibs.storage.transaction import Transaction


class Claimed(Struct, frozen=True, kw_only=True):
    """A run that was begun. `is_repeated`: the same request had begun it before."""

    run: Run
    posting: Tracked
    is_repeated: bool = False


async def claim_posting(office: Office, tenant: str, request: ClaimRequest) -> Claimed:
    """Give a posting to an agent, or say why not. The same request again gives the same answer."""
    check_claim(request)
    async with office.glances.pass_by(tenant, request) as turn:
        if turn.sighted is not None:
            # Those who were answered by the same look come to wait first: they are refused with this one, if it is.
            await asyncio.sleep(0)
            turn.begin_judging()
            begun = await _claim_with_others(office, tenant, request, turn.sighted)
            if begun is not None:
                return Claimed(run=begun.run, posting=begun.posting)
            # Most of those were a moment too late, after somebody at another server: one look tells them all.
            await office.glances.look(tenant, request)
        async with office.places:
            turn.begin_judging()
            return await _claim_in_turn(office, tenant, request)


async def _claim_with_others(office: Office, tenant: str, request: ClaimRequest, sighted: Sighted) -> Begun | None:
    if sighted.holder is not None or sighted.board != request.board:
        # It has lapsed: how far its agent was is judged by itself. Or it goes by the name of the board's provider.
        return None
    async with _locked(office, tenant, request, sighted) as lock:
        begun = await office.joint.claim(tenant, request)
        if begun is None:
            await office.release_lock(lock, request.run_id)
        return begun


@asynccontextmanager
async def _locked(office: Office, tenant: str, request: ClaimRequest, posting: Tracked | Sighted) -> AsyncIterator[str]:
    """Take the lock of a posting, or say who has it; it is given up again if the claim fails."""
    name = lock_name(tenant, posting.board, posting.external_id)
    other = await office.take_lock(name, request.run_id)
    if other is not None and await _has_ended(office, tenant, other.owner):
        # A report that came at the same time as its last one had renewed it.
        await office.release_lock(name, other.owner)
        other = await office.take_lock(name, request.run_id)
    if other is not None:
        raise explain(posting, Refusal(rule=Rule.CLAIMED, holder=other.owner, retry_at=other.expires_at))
    try:
        yield name
    except BaseException:
        await office.release_lock(name, request.run_id)
        raise


async def _has_ended(office: Office, tenant: str, run_id: str) -> bool:
    async with office.tables.reading(sight_of(tenant)) as transaction:
        return await run_store.find_state(transaction, run_id) in FINAL


class _Outlook(Struct, frozen=True, kw_only=True):
    """What is known about a claim before it takes its turn among the writers."""

    posting: Tracked
    policy: BoardPolicy
    akin: tuple[Kin, ...]
    is_capped: bool


async def _claim_in_turn(office: Office, tenant: str, request: ClaimRequest) -> Claimed:
    async with office.tables.reading(sight_of(tenant)) as transaction:
        tracked = await get_named(transaction, request.job_id, request.board)
        repeated = await _find_repeated(transaction, request, tracked)
        if repeated is not None:
            return repeated
        _refuse(tracked, await _judge(transaction, tracked), but_held=True)
        outlook = await _look_around(transaction, tracked)
        if tracked.holder is None:
            # A lapse is judged first, by those who write.
            _refuse(tracked, await _foresee_rules(transaction, tracked, outlook))
    async with _locked(office, tenant, request, tracked):
        return await _claim(office, tenant, request, outlook)


async def _look_around(transaction: Transaction, tracked: Tracked) -> _Outlook:
    """Read what a claim is judged by besides the posting: while it writes, everybody else has to wait."""
    by_role = await find_role_kin(transaction, tracked)
    return _Outlook(
        posting=tracked,
        policy=await find_policy(transaction, tracked.board),
        akin=join_kin(by_role, await find_text_kin(transaction, tracked)),
        is_capped=bool(await list_caps(transaction)),
    )


async def _claim(office: Office, tenant: str, request: ClaimRequest, outlook: _Outlook) -> Claimed:
    async with office.pens, office.tables.writing(sight_of(tenant)) as transaction:
        if outlook.policy.role_rule is RoleRule.BLOCK:
            await store.lock_role(transaction, outlook.posting.role)
        tracked = await store.find_posting(transaction, outlook.posting.id, is_locked=True)
        if tracked is None:
            raise tell_missing(request.job_id, request.board)
        if tracked.token != outlook.posting.token:
            # Somebody was quicker. It may have been this very request, sent twice.
            repeated = await _find_repeated(transaction, request, tracked)
            if repeated is not None:
                return repeated
        tracked = await settle(transaction, tracked, outlook.policy.fence)
        refusal = await _judge(transaction, tracked) or await _judge_rules(transaction, tracked, outlook)
        if refusal is None:
            return Claimed(run=await _begin(transaction, office, tracked, request, outlook.akin), posting=tracked)
    # Outside of the block, so that a lapse that was judged on the way is kept.
    raise explain(tracked, refusal)


async def _foresee_rules(transaction: Transaction, tracked: Tracked, outlook: _Outlook) -> Refusal | None:
    """Judge by the same rules as they stand: who is refused already takes no turn among the writers."""
    if outlook.policy.role_rule is RoleRule.BLOCK:
        by_role = next((kin for kin in outlook.akin if kin.ring is Ring.ROLE), None)
        if by_role is not None:
            return Refusal(rule=Rule.ROLE, holder=by_role.run_id)
    return await judge_caps(transaction, tracked) if outlook.is_capped else None


async def _judge_rules(transaction: Transaction, tracked: Tracked, outlook: _Outlook) -> Refusal | None:
    """Judge by what other claims may have changed since, where there is a rule about it."""
    if outlook.policy.role_rule is RoleRule.BLOCK:
        by_role = await find_role_kin(transaction, tracked)
        if by_role:
            return Refusal(rule=Rule.ROLE, holder=by_role[0].run_id)
    return await judge_caps(transaction, tracked, is_locked=True) if outlook.is_capped else None


async def _begin(
    transaction: Transaction, office: Office, tracked: Tracked, request: ClaimRequest, akin: tuple[Kin, ...]
) -> Run:
    if tracked.holder is not None:
        error = f"the claim lapsed, and {request.run_id} has the posting now"
        await run_store.end_run(transaction, tracked.holder, RunState.FAILED, error)
    now = transaction.now
    run = Run(
        run_id=request.run_id,
        posting_id=tracked.id,
        variant_id=request.variant_id,
        state=RunState.PENDING,
        artifacts=request.artifacts,
        token=tracked.token + 1,
        version=1,
        request_digest=request.digest,
        created_at=now,
        updated_at=now,
        akin=akin,
    )
    if not await run_store.add_run(transaction, run):
        # At the same moment, for another posting: nobody saw it when this one was judged.
        raise _run_taken(run.run_id)
    expires_at = now + office.lease
    if not await store.take_claim(transaction, tracked, run.run_id, expires_at, state=PostingState.QUEUED):
        raise explain(tracked, Refusal(rule=Rule.CLAIMED, retry_at=expires_at))
    await ledger.note_answers(transaction, run.run_id, run.artifacts, tracked.posting.questions)
    return run


async def record_progress(office: Office, tenant: str, report: ProgressReport) -> Run:
    """Add what an agent reports to its run, renew its claim, and move the posting where a final report leads."""
    check_report(report)
    async with office.places:
        return await _record_in_turn(office, tenant, report)


async def _record_in_turn(office: Office, tenant: str, report: ProgressReport) -> Run:
    async with office.pens, office.tables.writing(sight_of(tenant)) as transaction:
        run, tracked = await _find_both(transaction, report.run_id)
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
    error = report.error if report.error is not None else run.error
    is_known = wanted is run.state and not merged.is_changed and not merged.faults and error == run.error
    if run.state in FINAL:
        is_own_word = await run_store.find_reported(transaction, run) is run.state
        if is_known and (is_own_word or tracked.token == run.token):
            return run, None
        raise _tell_over(run, tracked, is_own_word=is_own_word)
    if tracked.holder != run.run_id or tracked.token != run.token:
        raise _tell_superseded(run, tracked)
    if is_known:
        return run, None
    if merged.faults:
        raise PostingMalformed(merged.faults)
    state = move_run(run.state, wanted)
    if state is None:
        message = f"run {run.run_id!r} is {run.state}, and cannot go back to {wanted}. Report what happened since."
        raise PostingConflict(message, rule="order", holder=run.run_id)
    after = _go_on(run, state, transaction.now, artifacts=merged.artifacts, error=error)
    if not is_same(merged.artifacts.get("answers"), run.artifacts.get("answers")):
        # Somebody has let other answers through than these.
        after = replace(after, approved_at=None, approved_by=None)
    after, refusal = await judge_approval(transaction, run, tracked, after)
    if refusal is not None:
        is_new = merged.is_changed or error != run.error
        after = replace(after, state=run.state, fenced_at=run.fenced_at) if is_new else run
    return after, refusal


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


def _go_on(run: Run, state: RunState, now: datetime, **said: Any) -> Run:
    return replace(
        run,
        state=state,
        version=run.version + 1,
        updated_at=now,
        fenced_at=run.fenced_at or (now if state in FENCED else None),
        ended_at=now if state in FINAL else None,
        **said,
    )


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


async def _find_both(transaction: Transaction, run_id: str) -> tuple[Run, Tracked]:
    """Lock the posting first, then the run: the same order everywhere, so that nobody waits for ever."""
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


async def _find_repeated(transaction: Transaction, request: ClaimRequest, tracked: Tracked) -> Claimed | None:
    """Find the run, if the same request has begun it before, as it was then."""
    known = await run_store.find_run(transaction, request.run_id)
    if known is None:
        return None
    if known.request_digest != request.digest:
        raise _run_taken(request.run_id)
    begun = replace(
        known,
        state=RunState.PENDING,
        artifacts=request.artifacts,
        version=1,
        error=None,
        updated_at=known.created_at,
        fenced_at=None,
        ended_at=None,
        breach=None,
        approved_at=None,
        approved_by=None,
    )
    return Claimed(run=begun, posting=tracked, is_repeated=True)


def _run_taken(run_id: str) -> PostingConflict:
    message = f"run_id {run_id!r} was used for another request. Use a new one for each run."
    return PostingConflict(message, rule=Rule.RUN_TAKEN, holder=run_id)


async def get_named(transaction: Transaction, job_id: str, board: str | None, *, is_locked: bool = False) -> Tracked:
    """Find the one posting with an id of a board."""
    found = await store.find_named(transaction, job_id, board, is_locked=is_locked)
    return choose_named(found, job_id, board)


async def _judge(transaction: Transaction, tracked: Tracked) -> Refusal | None:
    standing = stand_of(tracked)
    refusal = judge_claim(standing, transaction.now)
    if refusal is not None or tracked.holder is None:
        return refusal
    # It has lapsed: only now does it matter how far its agent was. Most are turned away without that question.
    holder_state = await run_store.find_state(transaction, tracked.holder)
    policy = await find_policy(transaction, tracked.board)
    return judge_claim(replace(standing, holder_state=holder_state, fence=policy.fence), transaction.now)


def _refuse(tracked: Tracked, refusal: Refusal | None, *, but_held: bool = False) -> None:
    """Raise what a refusal says; a lapse that nobody has judged yet is left to those who write."""
    is_unjudged = but_held and refusal is not None and refusal.rule is Rule.HELD and not tracked.is_held
    if refusal is not None and not is_unjudged:
        raise explain(tracked, refusal)
