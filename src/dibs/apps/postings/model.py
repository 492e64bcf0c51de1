"""A posting as its board publishes it, and the states that ours goes through."""

from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from msgspec import Struct


class PostingState(StrEnum):
    """Where a posting stands with us."""

    DISCOVERED = "discovered"
    QUEUED = "queued"
    APPLIED = "applied"
    EXPIRED = "expired"
    REJECTED = "rejected"


CLAIMABLE = frozenset({PostingState.DISCOVERED, PostingState.QUEUED})


class Trigger(StrEnum):
    """What moves a posting."""

    CLAIMED = "claimed"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    EXPIRED = "expired"
    REJECTED = "rejected"
    REOPENED = "reopened"


# `any` of the table includes the state itself: expiring twice changes nothing but the reason.
_MOVES: dict[Trigger, tuple[frozenset[PostingState], PostingState]] = {
    Trigger.CLAIMED: (CLAIMABLE, PostingState.QUEUED),
    Trigger.SUCCEEDED: (frozenset({PostingState.QUEUED}), PostingState.APPLIED),
    Trigger.FAILED: (frozenset({PostingState.QUEUED}), PostingState.DISCOVERED),
    Trigger.EXPIRED: (frozenset(PostingState), PostingState.EXPIRED),
    Trigger.REJECTED: (frozenset(PostingState), PostingState.REJECTED),
    Trigger.REOPENED: (frozenset({PostingState.EXPIRED, PostingState.REJECTED}), PostingState.DISCOVERED),
}


def move_posting(
    state: PostingState, trigger: Trigger, *, has_other_runs: bool = False, was_applied: bool = False
) -> PostingState | None:
    """Tell where a trigger leads from a state; None: it is not allowed there.

    A failure leaves the posting queued while another run is active. One that was applied to and is reopened is applied
    to still: else it would be offered again. One that a run has is queued again: its report ends that.
    """
    origins, target = _MOVES[trigger]
    if state not in origins:
        return None
    if trigger is Trigger.REOPENED and (was_applied or has_other_runs):
        return PostingState.APPLIED if was_applied else PostingState.QUEUED
    return state if trigger is Trigger.FAILED and has_other_runs else target


class Workplace(StrEnum):
    """Where the work is done."""

    REMOTE = "remote"
    HYBRID = "hybrid"
    ONSITE = "onsite"


class Period(StrEnum):
    """What an amount of pay is for."""

    YEAR = "year"
    MONTH = "month"
    WEEK = "week"
    DAY = "day"
    HOUR = "hour"


class Precision(StrEnum):
    """How exactly a board says when something was; BEFORE: at that time or any time earlier."""

    INSTANT = "instant"
    DAY = "day"
    RELATIVE = "relative"
    BEFORE = "before"


class Moment(Struct, frozen=True):
    """When something was, as exactly as the board says."""

    at: datetime
    precision: Precision = Precision.INSTANT

    def show(self) -> str | None:
        """Write an instant in UTC, or a day. What is only known to be earlier than a day is not written at all."""
        if self.precision is Precision.BEFORE:
            return None
        if self.precision is Precision.INSTANT:
            return self.at.astimezone(UTC).isoformat().replace("+00:00", "Z")
        return self.at.date().isoformat()


class Pay(Struct, frozen=True, kw_only=True):
    """A range of pay in whole units of its currency. `is_structured`: the board has fields for it."""

    min: Decimal | None = None
    max: Decimal | None = None
    currency: str | None = None
    period: Period | None = None
    is_structured: bool = False


class Place(Struct, frozen=True, kw_only=True):
    """A place of work: what the board calls it, and its parts where they are known."""

    name: str
    city: str | None = None
    region: str | None = None
    country: str | None = None


class Question(Struct, frozen=True, kw_only=True):
    """A question of the form, known before a browser is opened."""

    label: str
    name: str | None = None
    kind: str | None = None
    required: bool = False
    options: tuple[str, ...] = ()


class Posting(Struct, frozen=True, kw_only=True):
    """What a board publishes about one posting, in one form for all boards."""

    external_id: str
    title: str
    company: str | None = None
    places: tuple[Place, ...] = ()
    workplace: Workplace | None = None
    department: str | None = None
    employment_type: str | None = None
    pay: Pay | None = None
    posted: Moment | None = None
    updated: Moment | None = None
    deadline: Moment | None = None
    url: str | None = None
    apply_url: str | None = None
    requisition_id: str | None = None
    language: str | None = None
    text: str = ""
    questions: tuple[Question, ...] = ()
    detail_path: str | None = None
    """Where the board tells more about it, if its list does not tell everything."""
    is_open: bool = True
    """False: the board itself says that nobody can apply any more."""

    @property
    def remote(self) -> bool | None:
        """Whether the work is done from anywhere; None: the board does not say."""
        return None if self.workplace is None else self.workplace is Workplace.REMOTE


def show_posting(posting: Posting) -> dict[str, Any]:
    """Give a posting with the names and in the form that others read."""
    pay = posting.pay
    return {
        "external_id": posting.external_id,
        "title": posting.title,
        "company": posting.company,
        "locations": [place.name for place in posting.places],
        "remote": posting.remote,
        "department": posting.department,
        "employment_type": posting.employment_type,
        "pay": pay and {"min": pay.min, "max": pay.max, "currency": pay.currency, "period": pay.period},
        "posted_at": posting.posted and posting.posted.show(),
        "updated_at": posting.updated and posting.updated.show(),
        "apply_url": posting.apply_url,
        "text": posting.text,
    }
