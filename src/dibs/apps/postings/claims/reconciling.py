"""What becomes of claims whose agents fell silent, and how people find out."""

from enum import StrEnum

from msgspec.structs import replace

from dibs.apps.postings import store
from dibs.apps.postings.claims import store as run_store
from dibs.apps.postings.claims.runs import Fence, RunState, must_be_held
from dibs.apps.postings.model import PostingState, Trigger, move_posting
from dibs.apps.postings.office import Office, lock_name
from dibs.apps.postings.records import By, Tracked
from dibs.errors import PostingConflict, PostingNotFound, RunNotFound
from dibs.storage.sight import sight_of
from dibs.storage.transaction import Transaction

SWEEP = 500
_SILENT = "the agent fell silent after it may have submitted"


class Finding(StrEnum):
    """What somebody found out about a run whose end was unknown."""

    SUBMITTED = "submitted"
    NOT_SUBMITTED = "not_submitted"


async def settle(transaction: Transaction, tracked: Tracked, fence: Fence) -> Tracked:
    """Judge a claim that has lapsed, of a posting that is locked: hold it if its agent may have submitted."""
    is_lapsed = tracked.expires_at is not None and tracked.expires_at <= transaction.now
    if tracked.holder is None or tracked.is_held or not is_lapsed:
        return tracked
    state = await run_store.find_state(transaction, tracked.holder)
    if state is None or not must_be_held(state, fence):
        return tracked
    await run_store.end_run(transaction, tracked.holder, RunState.UNKNOWN, _SILENT)
    await store.write_claim(transaction, tracked, is_held=True)
    return replace(tracked, is_held=True)


async def settle_lapsed(office: Office, tenant: str, *, limit: int = SWEEP) -> int:
    """Judge all lapsed claims of a tenant, each in a transaction of its own; tells how many are held now."""
    async with office.tables.reading(sight_of(tenant)) as transaction:
        lapsed = await store.list_lapsed(transaction, limit)
    held = 0
    for posting_id in lapsed:
        async with office.tables.writing(sight_of(tenant)) as transaction:
            tracked = await store.find_posting(transaction, posting_id, is_locked=True)
            if tracked is not None:
                policy = await store.find_policy(transaction, tracked.board)
                held += (await settle(transaction, tracked, policy.fence)).is_held
    return held


async def resolve_hold(office: Office, tenant: str, run_id: str, finding: Finding, by: By) -> Tracked:
    """Write down what somebody found out: the posting is applied to, or can be claimed again."""
    async with office.tables.writing(sight_of(tenant)) as transaction:
        tracked = await _get_held(transaction, run_id)
        is_sent = finding is Finding.SUBMITTED
        trigger, end = (Trigger.SUCCEEDED, RunState.SUCCESS) if is_sent else (Trigger.FAILED, RunState.FAILED)
        # Its own word that it had applied is taken back with it.
        earlier = None if tracked.applied_run == run_id else tracked.applied_run
        applied_run = run_id if is_sent else earlier
        state = _find_state(tracked, trigger, run_id)
        await run_store.end_run(transaction, run_id, end, f"{finding.value}, says {by.actor}: {by.reason}"[:2000])
        values = {"applied_run": applied_run, "holder": None, "expires_at": None, "is_held": False}
        await store.write_claim(transaction, tracked, **values, state=state.value, reason=by.reason)
        action = f"HOLD_{finding.name}"
        await store.add_act(transaction, tracked.id, action, actor=by.actor, reason=by.reason)
    await office.release_lock(lock_name(tenant, tracked.board, tracked.external_id), run_id)
    await office.forward_acts(tenant)
    return replace(tracked, state=PostingState(state), is_held=False, holder=None, applied_run=applied_run)


def _find_state(tracked: Tracked, trigger: Trigger, run_id: str) -> PostingState:
    was_its_own = tracked.state is PostingState.APPLIED and tracked.applied_run == run_id
    if was_its_own and trigger is Trigger.FAILED:
        return PostingState.DISCOVERED
    return move_posting(tracked.state, trigger) or tracked.state


async def _get_held(transaction: Transaction, run_id: str) -> Tracked:
    run = await run_store.find_run(transaction, run_id)
    if run is None:
        message = f"there is no run {run_id!r}. Those at a posting: dibs postings show JOB_ID."
        raise RunNotFound(message)
    tracked = await store.find_posting(transaction, run.posting_id, is_locked=True)
    if tracked is None:
        message = f"the posting of run {run_id!r} is gone."
        raise PostingNotFound(message)
    if not tracked.is_held or tracked.holder != run_id:
        message = f"run {run_id!r} holds nothing that is to be found out; it is {run.state}."
        raise PostingConflict(message, rule="not_held", holder=tracked.holder)
    return tracked
