"""An agent's run at a posting: its states, and what a lapse of its claim means. Pure."""

from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from dibs.apps.postings.model import CLAIMABLE, PostingState

LEASE = timedelta(seconds=300)


class RunState(StrEnum):
    """How far a run is. SUBMITTING announces what cannot be taken back; UNKNOWN: nobody knows whether it happened."""

    PENDING = "pending"
    SUBMITTING = "submitting"
    SUBMITTED = "submitted"
    SUCCESS = "success"
    FAILED = "failed"
    UNKNOWN = "unknown"


ACTIVE = frozenset({RunState.PENDING, RunState.SUBMITTING, RunState.SUBMITTED})
FENCED = frozenset({RunState.SUBMITTING, RunState.SUBMITTED})
FINAL = frozenset({RunState.SUCCESS, RunState.FAILED})
_ENDS = FINAL | {RunState.UNKNOWN}
_MOVES: dict[RunState, frozenset[RunState]] = {
    RunState.PENDING: frozenset(RunState),
    RunState.SUBMITTING: FENCED | _ENDS,
    RunState.SUBMITTED: frozenset({RunState.SUBMITTED}) | _ENDS,
    # Who finds out what happened may say so, and an agent that was only slow goes on.
    RunState.UNKNOWN: FENCED | _ENDS,
    RunState.SUCCESS: frozenset(),
    RunState.FAILED: frozenset(),
}


class Fence(StrEnum):
    """Whether agents of a board must announce that they submit. REQUIRED: who fell silent may have submitted."""

    OPTIONAL = "optional"
    REQUIRED = "required"


class Rule(StrEnum):
    """Why a claim is refused."""

    CLAIMED = "claimed"
    HELD = "held"
    STATUS = "status"
    ROLE = "role"
    CAP = "cap"
    COOL_DOWN = "cool_down"
    RUN_TAKEN = "run_id"


class Standing(Struct, frozen=True, kw_only=True):
    """What decides about a claim: the posting's state, its holder until when, and how far that one is."""

    state: PostingState
    is_held: bool = False
    holder: str | None = None
    holder_state: RunState | None = None
    expires_at: datetime | None = None
    fence: Fence = Fence.OPTIONAL


class Refusal(Struct, frozen=True, kw_only=True):
    """Why a posting cannot be claimed now, who has it, and when to try again."""

    rule: Rule
    holder: str | None = None
    retry_at: datetime | None = None


def move_run(state: RunState, wanted: RunState) -> RunState | None:
    """Tell where a report leads; None: it is not allowed there."""
    return wanted if wanted in _MOVES[state] else None


def must_be_held(state: RunState, fence: Fence) -> bool:
    """Tell whether a run whose agent fell silent may have submitted."""
    return state in FENCED or state is RunState.UNKNOWN or (fence is Fence.REQUIRED and state is RunState.PENDING)


def judge_claim(standing: Standing, now: datetime) -> Refusal | None:
    """Tell why a posting cannot be claimed; None: it can."""
    if standing.is_held:
        return Refusal(rule=Rule.HELD, holder=standing.holder)
    if standing.holder is not None and standing.expires_at is not None and standing.expires_at > now:
        return Refusal(rule=Rule.CLAIMED, holder=standing.holder, retry_at=standing.expires_at)
    if standing.state not in CLAIMABLE:
        return Refusal(rule=Rule.STATUS)
    if standing.holder_state is not None and must_be_held(standing.holder_state, standing.fence):
        return Refusal(rule=Rule.HELD, holder=standing.holder)
    return None
