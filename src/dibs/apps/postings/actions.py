"""What people do with postings: look, expire, reject, reopen, set how a board is treated. One transaction each."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from dibs.apps.postings import store
from dibs.apps.postings.answers import find_unanswerable
from dibs.apps.postings.claims import approving
from dibs.apps.postings.claims import store as run_store
from dibs.apps.postings.claims.named import get_named
from dibs.apps.postings.ledger import store as ledger_store
from dibs.apps.postings.model import PostingState, Question, Trigger, move_posting
from dibs.apps.postings.office import Office
from dibs.apps.postings.profiles import store as profile_store
from dibs.apps.postings.records import Act, Awaiting, BoardCard, BoardPolicy, By, LastWord, Run, Tracked, Version
from dibs.apps.postings.variants import VariantMeasure, measure_variants
from dibs.errors import BadInput, BoardNotFound, PostingNotFound, PostingUnfit, RecordMoved, RunNotFound
from dibs.storage.sight import sight_of

_TRIGGERS = {"expire": Trigger.EXPIRED, "reject": Trigger.REJECTED, "reopen": Trigger.REOPENED}
MOST_LISTED, MOST_COUNTED = 1_000, 20_000
# Each comes with all that it has left so far.
MOST_AWAITING = 100


class Timeline(Struct, frozen=True, kw_only=True):
    """A posting with all runs at it and all that people did, oldest first.

    `unanswered`: questions of its form that a person has to answer before an agent may. `waiting`: the runs that submit
    nothing before somebody approves them, with the questions that they have guessed.
    """

    posting: Tracked
    runs: list[Run]
    acts: list[Act]
    unanswered: list[Question] = []
    waiting: dict[str, list[str]] = {}


async def move_by_hand(office: Office, tenant: str, named: tuple[str, str | None], verb: str, by: By) -> Tracked:
    """Expire, reject or reopen a posting, by its id on a board, with a reason."""
    trigger = _TRIGGERS[verb]
    if not by.reason.strip():
        message = f"to {verb} a posting needs a reason. Say why."
        raise BadInput(message)
    async with office.tables.writing(sight_of(tenant)) as transaction:
        tracked = await get_named(transaction, *named, is_locked=True)
        has_run, was_applied = tracked.holder is not None, tracked.applied_run is not None
        state = move_posting(tracked.state, trigger, has_other_runs=has_run, was_applied=was_applied)
        if state is None:
            message = (
                f"posting {tracked.external_id!r} is {tracked.state}; only an expired or rejected one can be reopened."
            )
            raise PostingUnfit(message)
        await store.move_state(transaction, tracked.id, state, by.reason)
        action = f"POSTING_{trigger.name}"
        await store.add_act(transaction, tracked.id, action, actor=by.actor, reason=by.reason)
        moved = await store.find_posting(transaction, tracked.id)
    await office.forward_acts(tenant)
    return moved or tracked


async def list_postings(
    office: Office, tenant: str, filters: Mapping[str, Any], *, after: str = "", limit: int = 50
) -> list[Tracked]:
    """Read postings in the order they were found.

    `filters`: a state, a board, a role, those that are held, those that nobody has, or `words` of title and company.
    """
    if not 1 <= limit <= MOST_LISTED:
        message = f"limit {limit} is not usable. Use 1 to {MOST_LISTED}."
        raise BadInput(message)
    async with office.tables.reading(sight_of(tenant)) as transaction:
        return await store.list_postings(transaction, filters, after=after, limit=limit)


async def count_states(office: Office, tenant: str) -> dict[PostingState, int] | None:
    """Count postings by state; None: there are too many to count while somebody waits."""
    async with office.tables.reading(sight_of(tenant)) as transaction:
        return await store.count_states(transaction, MOST_COUNTED)


async def find_holders(office: Office, tenant: str, postings: Sequence[Tracked]) -> dict[str, LastWord]:
    """Tell what the runs that hold postings said last, and when."""
    holders = [one.holder for one in postings if one.holder is not None]
    async with office.tables.reading(sight_of(tenant)) as transaction:
        return await run_store.find_last_words(transaction, holders)


async def get_posting(office: Office, tenant: str, posting_id: str) -> Tracked:
    """Read a posting by our own id."""
    async with office.tables.reading(sight_of(tenant)) as transaction:
        found = await store.find_posting(transaction, posting_id)
    if found is None:
        message = f"no posting is known here as {posting_id!r}. It may have been erased, or belong to somebody else."
        raise PostingNotFound(message)
    return found


async def find_timeline(
    office: Office, tenant: str, job_id: str, board: str | None = None, *, variant_id: str = ""
) -> Timeline:
    """Read a posting with its runs and acts, and what a person has to answer for whoever's resume it would be."""
    async with office.tables.reading(sight_of(tenant)) as transaction:
        tracked = await get_named(transaction, job_id, board)
        runs = await run_store.list_runs(transaction, [tracked.id])
        acts = await store.list_acts(transaction, tracked.id)
        usable = await ledger_store.find_given(transaction, [one.label for one in tracked.posting.questions])
        usable |= await profile_store.find_own_answers(transaction, variant_id)
        unanswered = find_unanswerable(tracked.posting.questions, usable)
        waiting = await approving.find_waiting(transaction, tracked, runs)
        return Timeline(posting=tracked, runs=runs, acts=acts, unanswered=unanswered, waiting=waiting)


async def list_awaiting(office: Office, tenant: str) -> list[Awaiting]:
    """Read the runs that wait for a person's approval, or will; those heard of last come first."""
    async with office.tables.reading(sight_of(tenant)) as transaction:
        return await approving.list_awaiting(transaction, MOST_AWAITING)


class RunStory(Struct, frozen=True, kw_only=True):
    """A run with its posting and all its reports, oldest first."""

    run: Run
    posting: Tracked
    versions: list[Version]


async def get_run(office: Office, tenant: str, run_id: str) -> RunStory:
    """Read a run with its posting and its reports."""
    async with office.tables.reading(sight_of(tenant)) as transaction:
        run = await run_store.find_run(transaction, run_id)
        tracked = None if run is None else await store.find_posting(transaction, run.posting_id)
        if run is None or tracked is None:
            message = f"there is no run {run_id!r}. Those at a posting: dibs postings show JOB_ID."
            raise RunNotFound(message)
        return RunStory(run=run, posting=tracked, versions=await run_store.list_versions(transaction, run_id))


async def list_boards(office: Office, tenant: str) -> list[BoardCard]:
    """Read the boards that were ever crawled."""
    async with office.tables.reading(sight_of(tenant)) as transaction:
        return await store.list_boards(transaction)


async def set_policy(
    office: Office, tenant: str, board: str, policy: BoardPolicy, by: By, *, expected: BoardPolicy | None = None
) -> BoardCard:
    """Set how agents are to treat a board; with `expected`, only in the place of that."""
    async with office.tables.writing(sight_of(tenant)) as transaction:
        card = await store.find_board(transaction, board, is_locked=True)
        if card is not None and expected not in (None, card.policy):
            raise RecordMoved(f"policy of board {board}")
        if card is None or not await store.set_policy(transaction, board, policy):
            message = f"there is no board {board!r}. Crawl it first."
            raise BoardNotFound(message)
        said = f"fence {policy.fence}, approval {policy.approval}, role {policy.role_rule}"
        await store.add_act(
            transaction, f"board:{board}", "BOARD_POLICY_SET", actor=by.actor, reason=f"{said}: {by.reason}"
        )
    await office.forward_acts(tenant)
    return replace(card, policy=policy)


async def measure(
    office: Office, tenant: str, *, board: str | None = None, profile: str | None = None
) -> list[VariantMeasure]:
    """Measure how the resume variants do: at one board or all, of one profile or all."""
    async with office.tables.reading(sight_of(tenant)) as transaction:
        counts = await run_store.count_outcomes(transaction, board)
        owners = {one.variant_id: one.profile for one in await profile_store.list_variants(transaction, profile)}
    named = [count for count in counts if count[0] and (profile is None or count[0] in owners)]
    measures = measure_variants(named, also=owners)
    return [replace(one, profile=owners.get(one.variant_id)) for one in measures]
