"""Claiming a posting: judged by reading, then written in one transaction that is fenced by the posting's token."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from msgspec import Struct
from msgspec.structs import replace

from dibs.apps.postings import store
from dibs.apps.postings.claims import store as run_store
from dibs.apps.postings.claims.crowds.joining import Begun
from dibs.apps.postings.claims.kinship import find_role_kin, find_text_kin, join_kin
from dibs.apps.postings.claims.named import get_named, tell_missing
from dibs.apps.postings.claims.reconciling import settle
from dibs.apps.postings.claims.refusing import Sighted, explain, stand_of
from dibs.apps.postings.claims.requests import ClaimRequest, check_claim
from dibs.apps.postings.claims.runs import FINAL, Refusal, Rule, RunState, judge_claim
from dibs.apps.postings.identity import Ring
from dibs.apps.postings.ledger import store as ledger
from dibs.apps.postings.limits.actions import judge_caps
from dibs.apps.postings.limits.store import list_caps
from dibs.apps.postings.model import PostingState
from dibs.apps.postings.office import Office, lock_name
from dibs.apps.postings.records import BoardPolicy, Kin, RoleRule, Run, Tracked
from dibs.errors import PostingConflict
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
        policy=await store.find_policy(transaction, tracked.board),
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
    run = request.begin(tracked, transaction.now, akin)
    if not await run_store.add_run(transaction, run):
        # At the same moment, for another posting: nobody saw it when this one was judged.
        raise _run_taken(run.run_id)
    expires_at = transaction.now + office.lease
    if not await store.take_claim(transaction, tracked, run.run_id, expires_at, state=PostingState.QUEUED):
        raise explain(tracked, Refusal(rule=Rule.CLAIMED, retry_at=expires_at))
    await ledger.note_answers(transaction, run.run_id, run.artifacts, tracked.posting.questions)
    return run


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


async def _judge(transaction: Transaction, tracked: Tracked) -> Refusal | None:
    standing = stand_of(tracked)
    refusal = judge_claim(standing, transaction.now)
    if refusal is not None or tracked.holder is None:
        return refusal
    # It has lapsed: only now does it matter how far its agent was. Most are turned away without that question.
    holder_state = await run_store.find_state(transaction, tracked.holder)
    policy = await store.find_policy(transaction, tracked.board)
    return judge_claim(replace(standing, holder_state=holder_state, fence=policy.fence), transaction.now)


def _refuse(tracked: Tracked, refusal: Refusal | None, *, but_held: bool = False) -> None:
    """Raise what a refusal says; a lapse that nobody has judged yet is left to those who write."""
    is_unjudged = but_held and refusal is not None and refusal.rule is Rule.HELD and not tracked.is_held
    if refusal is not None and not is_unjudged:
        raise explain(tracked, refusal)
