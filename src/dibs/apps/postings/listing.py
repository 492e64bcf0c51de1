"""What a listing says about the postings that we know. Pure."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from dibs.apps.postings.boards.paging import Enumeration
from dibs.apps.postings.model import Posting, PostingState

# So often must a complete listing lack a posting until it is taken for gone.
ENOUGH_MISSES = 2


class Change(StrEnum):
    """What becomes of a posting. SEEN: nothing but the time when it was seen last."""

    NEW = "new"
    SEEN = "seen"
    CHANGED = "changed"
    REOPENED = "reopened"
    MISSED = "missed"
    EXPIRED = "expired"


class Known(Struct, frozen=True, kw_only=True):
    """What is kept of a posting. `is_busy`: an agent has it, or it is held until somebody finds out."""

    state: PostingState
    digest: str
    misses: int = 0
    is_busy: bool = False


class Verdict(Struct, frozen=True, kw_only=True):
    """What a listing means for one posting."""

    external_id: str
    change: Change
    misses: int = 0
    posting: Posting | None = None


def reconcile(known: Mapping[str, Known], listing: Enumeration, digests: Mapping[str, str]) -> list[Verdict]:
    """Compare what is known with what is listed; `digests` are those of the listed postings, by id.

    A posting whose row could not be read is listed all the same. Nothing is concluded from what a listing lacks that is
    not complete.
    """
    listed = {posting.external_id: posting for posting in listing.postings}
    found = [_judge_listed(known.get(name), posting, digests[name]) for name, posting in listed.items()]
    unread = (listing.listed_ids - listed.keys()) & known.keys()
    found += [Verdict(external_id=name, change=Change.SEEN) for name in sorted(unread)]
    if not listing.is_complete:
        return found
    gone = sorted(known.keys() - listing.listed_ids)
    return found + [verdict for name in gone if (verdict := _judge_absent(name, known[name]))]


def _judge_listed(known: Known | None, posting: Posting, digest: str) -> Verdict:
    if known is None:
        change = Change.NEW
    elif known.state is PostingState.EXPIRED and known.misses:
        # It had been away. One that a person expired while it was listed stays so.
        change = Change.REOPENED
    else:
        change = Change.SEEN if known.digest == digest else Change.CHANGED
    return Verdict(external_id=posting.external_id, change=change, posting=posting)


def _judge_absent(name: str, known: Known) -> Verdict | None:
    misses = min(known.misses + 1, ENOUGH_MISSES)
    # What was applied to stays so: expired and listed again, it would be offered once more.
    is_open = known.state in (PostingState.DISCOVERED, PostingState.QUEUED) and not known.is_busy
    if misses >= ENOUGH_MISSES and is_open:
        return Verdict(external_id=name, change=Change.EXPIRED, misses=misses)
    return None if misses == known.misses else Verdict(external_id=name, change=Change.MISSED, misses=misses)
