"""Everything that Dibs raises, in one tree.

    DibsError
    ├── BadInput                the caller gave something that cannot be stored or done; nothing has changed
    │   ├── PayloadTooLarge
    │   ├── PayloadTooDeep
    │   ├── NotJson
    │   ├── UnknownBackend
    │   ├── PostingMalformed    what an agent sent is no claim or no report; faults names all that is wrong
    │   ├── UnreadableDocument  a document is damaged, locked, of no known kind or over a limit
    │   └── NotSupported        this backend cannot do that, and its capabilities say so
    ├── MissingExtra            an optional package is not installed
    ├── JobNotFound
    ├── SourceNotFound
    ├── JobConflict             the job exists, but not in a state that allows this
    │   ├── DuplicateJob        the id is taken
    │   └── UniqueKeyTaken      another unfinished job holds the unique key
    ├── ScheduleNotFound
    ├── ScheduleConflict        the name is taken, or somebody else changes the schedule all the time
    │   └── VersionMoved        it has been changed since the caller read it
    ├── RecordMoved             something that is replaced whole has been changed since the caller read it
    ├── RequestRefused          the HTTP entrance refuses a request; its code says why
    ├── ApiError                a Dibs server answered the client with an error
    ├── TenantNotFound
    ├── KeyNotFound
    ├── UserNotFound
    ├── NameTaken               a tenant or a user is called so already
    ├── AccessError             somebody may not do this
    │   ├── Forbidden           known, but without the scope, or of another tenant
    │   └── SignInRefused       wrong name or password, or a link that is spent
    │       └── TooManySignIns  too many wrong guesses: wait
    ├── BoardNotFound
    ├── AnswerNotFound          the ledger has no such answer, or none that waits
    ├── ProfileNotFound
    ├── PostingNotFound         no posting has this id, or several boards have one
    ├── RunNotFound
    ├── PostingConflict         somebody else has the posting, or it is held; rule, holder and retry_at say more
    ├── PostingUnfit            the posting's state allows no claim
    ├── ResumeNotFound
    ├── ResumeMoved             the resume has been changed since the caller read it
    ├── WebhookNotFound
    ├── WebhookRefused          a message that came is not signed by us, too old, or came before; its code says which
    ├── Undecipherable          what is kept is encrypted, and its key is not set, or it stands where it was not written
    ├── LeaseLost               somebody else holds the job now, or it is finished: stop working on it
    ├── StoreError
    │   ├── StoreUnavailable    down, unreachable or too slow; nothing was written
    │   │   └── OutcomeUnknown  the connection broke after the write was sent: look before trying again
    │   ├── StoreAccessDenied   wrong credentials or missing rights
    │   └── SchemaMismatch      the store's schema does not fit this version of Dibs
    ├── OutsideError            something was asked of the outside, and did not come
    │   ├── FetchRefused        our own rules forbid it: asking again is useless
    │   │   ├── AddressRefused  no public address, or a scheme, port, host or redirect that is not allowed
    │   │   └── RobotsRefused   the site's robots.txt asks crawlers to stay away
    │   ├── HostFault           it is us: no name service, no route, no certificates to check by
    │   └── ProviderFault       it is them: refused, reset, broken, 5xx
    │       ├── FetchTimeout    too slow to connect, to answer or to finish
    │       ├── TooManyRedirects
    │       └── BodyTooLarge    a body or its headers over the limit, packed or unpacked
    └── HandlerError            raised by handlers, to say how a failure is to be taken
        ├── Retryable
        ├── Permanent
        └── PermitRefused       a source may not be asked before an instant: the job is snoozed until then

A message says what went wrong, with which value, and what to do next.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta


class DibsError(Exception):
    """The root of the tree."""


class BadInput(DibsError, ValueError):
    """The caller gave something that cannot be stored or done. Nothing has changed."""

    field: str | None = None
    """Which field of a request it was in, where it came with one."""


class PayloadTooLarge(BadInput):
    """An encoded payload is over the limit."""


class PayloadTooDeep(BadInput):
    """A payload has more objects and lists within each other than the limit, or contains itself."""


class NotJson(BadInput):
    """A payload cannot be written as JSON."""


class UnknownBackend(BadInput):
    """A store URL names no backend that exists."""


class UnreadableDocument(BadInput):
    """A document is damaged, locked, of no known kind or over a limit. `code` is stable, for programs."""

    def __init__(self, message: str, *, code: str = "corrupted") -> None:
        super().__init__(message)
        self.code = code


class NotSupported(BadInput):
    """The backend cannot do this; `backend.capabilities` says so beforehand."""


class MissingExtra(DibsError, ImportError):
    """An optional package is needed and not installed."""


class Undecipherable(DibsError):
    """Something is encrypted where it is kept, and cannot be read."""

    @classmethod
    def without_key(cls, name: str, variable: str) -> "Undecipherable":
        """Say that a key is missing."""
        said = f"what is kept here is encrypted with the key {name!r}, which is not set" if name else "no key is set"
        return cls(f"{said}. Add the key to {variable}, behind the first, in every process.")

    @classmethod
    def moved(cls, name: str) -> "Undecipherable":
        """Say that the key is there, and does not fit."""
        return cls(
            f"what is kept here, encrypted with the key {name!r}, does not open: it was changed, or moved from another"
            " place. Restore it from a backup, or make it anew."
        )


class JobNotFound(DibsError, LookupError):
    """No job has this id."""


class SourceNotFound(DibsError, LookupError):
    """No source has this name."""


class JobConflict(DibsError):
    """The job exists, but not in a state that allows this."""


class DuplicateJob(JobConflict):
    """A job with this id is stored already."""

    @classmethod
    def of(cls, job_id: str) -> "DuplicateJob":
        """Say it of one id."""
        return cls(
            f"a job with the id {job_id!r} is stored already; nothing was stored. Use another id, or leave it out."
        )


class UniqueKeyTaken(JobConflict):
    """Another unfinished job holds the unique key."""


class ScheduleNotFound(DibsError, LookupError):
    """The tenant has no schedule of this name."""


class ScheduleConflict(DibsError):
    """The name is taken, or others changed the schedule whenever this was tried."""


class TenantNotFound(DibsError, LookupError):
    """No tenant has this name."""


class KeyNotFound(DibsError, LookupError):
    """The tenant has no such API key."""


class UserNotFound(DibsError, LookupError):
    """The tenant has no such user."""


class NameTaken(DibsError):
    """A tenant or a user is called so already."""


class AccessError(DibsError):
    """Somebody may not do this."""


class Forbidden(AccessError):
    """The one who asks is known, but lacks the scope or belongs to another tenant."""


class SignInRefused(AccessError):
    """Wrong name or password, or a link that is spent; which of them is not told."""


class TooManySignIns(SignInRefused):
    """Too many wrong guesses at an account or from an address."""

    def __init__(self, message: str, *, retry_after: timedelta = timedelta(seconds=1)) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class VersionMoved(ScheduleConflict):
    """The schedule has another version than the one that the change was meant for. Nothing has changed."""


class RecordMoved(DibsError):
    """A rule, a source or the like is not any more what the change was meant for. Nothing has changed."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what} is not any more what you have read. Read it again and decide anew; nothing was changed."
        )


class RequestRefused(DibsError):
    """The HTTP entrance refuses a request. `code` says why, and decides the status of the answer."""

    def __init__(
        self, message: str, *, code: str = "refused", field: str | None = None, retry_after: int | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.field = field
        self.retry_after = retry_after


class ApiError(DibsError):
    """A Dibs server answered with an error: its status, its stable code, and how many seconds to wait, if any."""

    def __init__(self, message: str, *, status: int = 0, code: str = "unknown", retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.retry_after = retry_after


class PostingMalformed(BadInput):
    """What an agent sent is no claim or no report; `faults` names all that is wrong at once. Nothing has changed."""

    def __init__(self, faults: Iterable[str]) -> None:
        self.faults = tuple(faults)
        super().__init__(f"{'; '.join(self.faults)}. Correct it and send it again; nothing was changed.")


class BoardNotFound(DibsError, LookupError):
    """No board has this name."""


class AnswerNotFound(DibsError, LookupError):
    """The ledger has no such answer, or none that waits for approval."""


class ProfileNotFound(DibsError, LookupError):
    """No profile has this name, or it has no such variant."""


class PostingNotFound(DibsError, LookupError):
    """No posting has this id, or several boards have one."""


class RunNotFound(DibsError, LookupError):
    """No run has this id."""


class PostingConflict(DibsError):
    """Somebody else has the posting, it is held, or the run is over. Nothing has changed.

    `rule` names which, `holder` the run that has it, `retry_at` when to try again, where that is known.
    """

    def __init__(
        self, message: str, *, rule: str = "", holder: str | None = None, retry_at: datetime | None = None
    ) -> None:
        super().__init__(message)
        self.rule = rule
        self.holder = holder
        self.retry_at = retry_at


class PostingUnfit(DibsError):
    """The posting's state allows no claim."""


class ResumeNotFound(DibsError, LookupError):
    """No resume of this tenant has this id."""


class ResumeMoved(DibsError):
    """The resume has another version than the one that the change was meant for. Nothing has changed."""


class WebhookNotFound(DibsError, LookupError):
    """No webhook of this tenant has this id."""


class WebhookRefused(DibsError):
    """A message that came cannot be trusted. `code`: headers, signature, secret, time or replay."""

    def __init__(self, message: str, *, code: str = "signature") -> None:
        super().__init__(message)
        self.code = code


class LeaseLost(DibsError):
    """The lease token is no longer the job's, or the job is not running."""


class StoreError(DibsError):
    """The store did not do its part."""


class StoreUnavailable(StoreError):
    """The store is down, unreachable or too slow. Nothing was written."""


class OutcomeUnknown(StoreUnavailable):
    """The connection broke after a write was sent: it may or may not have happened."""


class StoreAccessDenied(StoreError):
    """The store refused the credentials, or they lack a right."""


class SchemaMismatch(StoreError):
    """The store's schema does not fit this version of Dibs."""


class OutsideError(DibsError):
    """Something was asked of the outside, and did not come."""


class FetchRefused(OutsideError):
    """Our own rules forbid it. Asking again is useless."""


class AddressRefused(FetchRefused):
    """The way leads to no public address, or over a scheme, port, host or redirect that is not allowed.

    `is_redirected`: it was the other side that sent us there.
    """

    is_redirected: bool = False


class RobotsRefused(FetchRefused):
    """The site's robots.txt asks crawlers to stay away from there."""


class HostFault(OutsideError):
    """This machine cannot reach out: no name service, no route, no certificates to check by."""


class ProviderFault(OutsideError):
    """The other side refused, reset, broke the protocol or answered that it is unwell."""

    status: int | None = None

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class FetchTimeout(ProviderFault, TimeoutError):
    """The other side was too slow to connect, to answer or to finish."""


class TooManyRedirects(ProviderFault):
    """One redirect led to the next, past the limit."""


class BodyTooLarge(ProviderFault):
    """A body or its headers are over the limit, packed or unpacked."""


class HandlerError(DibsError):
    """Raised by a handler to say how its failure is to be taken."""


class Retryable(HandlerError):
    """Try again after a while; costs one retry."""


class Permanent(HandlerError):
    """Trying again is useless."""


class PermitRefused(HandlerError):
    """A source may not be asked before `until`, an instant of the store's clock; None: nobody knows how long.

    A worker snoozes the job until then, at no cost.
    """

    source: str = ""
    until: datetime | None = None

    def __init__(self, message: str, *, source: str = "", until: datetime | None = None) -> None:
        super().__init__(message)
        self.source = source
        self.until = until
