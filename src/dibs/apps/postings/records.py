"""What is kept of boards, postings and runs, as actions give it back."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from dibs.apps.postings.answers import Approval
from dibs.apps.postings.claims.runs import Fence, RunState
from dibs.apps.postings.identity import Ring
from dibs.apps.postings.model import Posting, PostingState


class RoleRule(StrEnum):
    """What a second posting of one role means for a claim."""

    WARN = "warn"
    BLOCK = "block"


class BoardPolicy(Struct, frozen=True, kw_only=True):
    """How agents are to treat a board. A new one asks a person before anything is submitted."""

    fence: Fence = Fence.OPTIONAL
    approval: Approval = Approval.EVERY_TIME
    role_rule: RoleRule = RoleRule.WARN


class BoardCard(Struct, frozen=True, kw_only=True):
    """A board that we know: what we call it, where it is, how it is treated, and when it was read."""

    name: str
    provider: str
    token: str
    policy: BoardPolicy
    created_at: datetime
    crawled_at: datetime | None = None
    complete_at: datetime | None = None


class Tracked(Struct, frozen=True, kw_only=True):
    """A posting with all that we know about it. `token` fences the writes of its holder."""

    id: str
    board: str
    external_id: str
    state: PostingState
    reason: str
    title: str
    role: str
    posting: Posting
    digest: str
    sketch: str
    misses: int
    first_seen_at: datetime
    last_seen_at: datetime
    changed_at: datetime
    state_at: datetime
    token: int
    is_held: bool
    holder: str | None = None
    applied_run: str | None = None
    expires_at: datetime | None = None

    @property
    def company(self) -> str:
        """Whose role it is, as postings are compared; empty where nobody knows."""
        return self.role.partition("|")[0]


class Kin(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Another posting that may be the same, and the run that applied or applies to it."""

    ring: Ring
    board: str
    job_id: str
    run_id: str | None = None
    is_same_place: bool | None = None
    similarity: float | None = None

    def alike(self, part: float) -> "Kin":
        """Give the same, with the part of its text that is common."""
        return replace(self, similarity=round(part, 2))


class Run(Struct, frozen=True, kw_only=True):
    """An agent's run at a posting. `token` is what the posting's was when it was claimed."""

    run_id: str
    posting_id: str
    variant_id: str
    state: RunState
    artifacts: dict[str, Any]
    token: int
    version: int
    request_digest: str
    created_at: datetime
    updated_at: datetime
    error: str | None = None
    fenced_at: datetime | None = None
    ended_at: datetime | None = None
    approved_at: datetime | None = None
    approved_by: str | None = None
    akin: tuple[Kin, ...] = ()
    breach: str | None = None
    """What its agent did that it may not, such as submitting what a person had to approve first."""

    def breaking(self, rule: str) -> "Run":
        """Give the same run, with the rule that it broke."""
        return replace(self, breach=rule)


class LastWord(Struct, frozen=True, kw_only=True):
    """What a run said last, and when. `breach`: what its agent did that it may not."""

    at: datetime
    error: str | None = None
    breach: str | None = None
    fenced_at: datetime | None = None


class By(Struct, frozen=True, kw_only=True):
    """Who does something, and why."""

    actor: str
    reason: str = ""


class Act(Struct, frozen=True, kw_only=True):
    """What somebody did to a posting, and why."""

    id: str
    posting_id: str
    action: str
    actor: str
    reason: str
    at: datetime


class Awaiting(Struct, frozen=True, kw_only=True):
    """A run that submits nothing before a person approves it.

    `answers`: how many it has given; `guessed`: the questions among them that nobody may guess.
    """

    run: Run
    posting: Tracked
    answers: int
    guessed: tuple[str, ...]


class Version(Struct, frozen=True, kw_only=True):
    """One report of a run: what it said, and what the run was after it."""

    version: int
    state: RunState
    patch: dict[str, Any]
    at: datetime
    error: str | None = None
