"""What a fault of a member, or of the way to it, means to the caller."""

from collections.abc import Sequence
from enum import Enum

import httpx
import msgspec

from dibs.errors import OutcomeUnknown, StoreAccessDenied, StoreError, StoreUnavailable

LONGEST_REASON = 200


class Care(Enum):
    """What may be done with a question whose answer did not come."""

    READ = "it changes nothing that anybody sees: ask another member"
    SAFE = "a second time changes nothing more: ask another member, but if none answers the outcome is unknown"
    ONCE = "never ask again"


class Gone(Exception):
    """A member that could not be asked, or whose answer did not come. Never leaves this package."""

    def __init__(self, host: str, reason: str, *, was_sent: bool) -> None:
        super().__init__(f"{host}: {reason[:LONGEST_REASON]}")
        self.was_sent = was_sent


class Refused(Exception):
    """What a member answered instead of doing it. Nothing was written. Never leaves this package."""

    def __init__(self, host: str, answer: str) -> None:
        super().__init__(answer)
        self.host = host


class _Trouble(msgspec.Struct, frozen=True):
    """The body of an answer that is an error."""

    code: int = 0
    message: str = ""
    error: str = ""


_FULL = "has no space left and takes no writes. Compact and defragment it, then: etcdctl alarm disarm"
_SLOW = "let the lease that was granted end before it was used. Nothing was written: try again, or with a longer ttl"
_WANTS_USER = "wants a user and a password. Put them into the URL: etcd://user:password@host:2379"
_WANTS_NO_USER = "has no users. Enable them with etcdctl auth enable, or take user and password out of the URL"
_REFUSALS: dict[str, tuple[type[StoreError], str]] = {
    "authentication failed": (StoreAccessDenied, "refused the user name or password. Correct them in the URL"),
    "user name is empty": (StoreAccessDenied, _WANTS_USER),
    "authentication is not enabled": (StoreAccessDenied, _WANTS_NO_USER),
    "permission denied": (StoreAccessDenied, "lacks a right for this user. Grant it readwrite on the prefix"),
    "invalid auth token": (StoreAccessDenied, "does not know the token that it gave out. Try again"),
    "database space exceeded": (StoreUnavailable, _FULL),
    "lease not found": (StoreUnavailable, _SLOW),
}
# The gRPC codes Canceled, Unknown, DeadlineExceeded, Internal and Unavailable: it may have been done all the same.
_UNSURE = frozenset({1, 2, 4, 13, 14})
# Said by a member before it hands a write on; another member may do better.
_NOT_TAKEN = ("no leader", "proposal dropped", "too many requests")
_STALE_TOKEN = ("invalid auth token", "revision of auth store is old")
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


def not_answered(host: str, error: httpx.TransportError) -> Gone:
    """Say whether a broken exchange had been sent."""
    reason = str(error) or type(error).__name__
    return Gone(host, reason, was_sent=not isinstance(error, _NEVER_SENT))


def read_trouble(host: str, response: httpx.Response) -> Gone | Refused:
    """Say what an answer other than success means."""
    try:
        trouble = msgspec.json.decode(response.content, type=_Trouble)
    except msgspec.MsgspecError:
        return Refused(host, f"HTTP {response.status_code}, {response.text.strip()[:LONGEST_REASON]}")
    said = trouble.message or trouble.error
    if any(words in said for words in _NOT_TAKEN):
        return Gone(host, said, was_sent=False)
    if trouble.code in _UNSURE and not any(words in said for words in _REFUSALS):
        return Gone(host, said, was_sent=True)
    return Refused(host, said)


def is_stale_token(refused: Refused) -> bool:
    """Whether signing in again helps."""
    return any(words in str(refused) for words in _STALE_TOKEN)


def explain_refusal(refused: Refused) -> StoreError:
    """Say it in our words."""
    answer = str(refused)
    for words, (kind, advice) in _REFUSALS.items():
        if words in answer:
            return kind(f"etcd at {refused.host} {advice}. It says: {answer}")
    advice = "Check that this is the client port of an etcd 3.4 or newer, and whether it wants etcds:// (TLS)."
    return StoreError(f"etcd at {refused.host} answered: {answer}. {advice}")


def explain_silence(tried: Sequence[Gone], care: Care) -> StoreError:
    """Say that no member could be asked, or none answered."""
    reasons = "; ".join(str(one) for one in tried)
    if care is not Care.READ and any(one.was_sent for one in tried):
        return OutcomeUnknown(
            f"etcd did not answer after a write was sent ({reasons})."
            " It may or may not have happened: look before trying again."
        )
    return StoreUnavailable(
        f"no member of etcd could be asked ({reasons})."
        " Check that most of its members run, that hosts, ports and certificates in the URL are right,"
        " and that it begins with etcds:// if they want TLS, with etcd:// if they do not."
    )
