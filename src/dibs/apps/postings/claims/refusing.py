"""What an agent is told whose claim is refused. Pure."""

from datetime import datetime

from msgspec import Struct

from dibs.apps.postings.claims.runs import Refusal, Rule, Standing
from dibs.apps.postings.model import PostingState
from dibs.apps.postings.records import Tracked
from dibs.errors import PostingConflict, PostingUnfit


class Sighted(Struct, frozen=True, kw_only=True):
    """As much of a posting as decides whether somebody has it."""

    board: str
    external_id: str
    state: PostingState
    is_held: bool
    holder: str | None
    applied_run: str | None
    expires_at: datetime | None


def stand_of(posting: Tracked | Sighted) -> Standing:
    """Say where a posting stands. How far its holder is, is left open."""
    return Standing(
        state=posting.state if posting.applied_run is None else PostingState.APPLIED,
        is_held=posting.is_held,
        holder=posting.holder,
        expires_at=posting.expires_at,
    )


def explain(posting: Tracked | Sighted, refusal: Refusal) -> Exception:
    """Make the error that tells why."""
    named = f"posting {posting.external_id!r} on board {posting.board!r}"
    if refusal.rule is Rule.STATUS:
        why = "was applied to" if posting.applied_run else f"is {posting.state}"
        return PostingUnfit(f"{named} {why}; only a discovered or queued one can be claimed.")
    words = {
        Rule.CLAIMED: f"{named} already has an active application, run {refusal.holder!r}. Try again later.",
        Rule.HELD: f"{named} may have been applied to by run {refusal.holder!r}. Somebody has to find out first.",
        Rule.CAP: f"{named} would be one too many within a day, after run {refusal.holder!r}. Try again later.",
        Rule.COOL_DOWN: f"{named} comes too soon after run {refusal.holder!r}. Try again later.",
        Rule.ROLE: f"{named} is of a role that run {refusal.holder!r} has applied to. Choose another.",
    }
    return PostingConflict(
        words[refusal.rule], rule=refusal.rule.value, holder=refusal.holder, retry_at=refusal.retry_at
    )
