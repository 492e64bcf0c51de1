"""Everything that Dibs raises, in one tree.

    DibsError
    ├── BadInput                the caller gave something that cannot be stored or done; nothing has changed
    │   ├── PayloadTooLarge
    │   ├── NotJson
    │   ├── UnknownBackend
    │   └── NotSupported        this backend cannot do that, and its capabilities say so
    ├── MissingExtra            an optional package is not installed
    ├── JobNotFound
    ├── SourceNotFound
    ├── JobConflict             the job exists, but not in a state that allows this
    │   ├── DuplicateJob        the id is taken
    │   └── UniqueKeyTaken      another unfinished job holds the unique key
    ├── ScheduleNotFound
    ├── ScheduleConflict        the name is taken, or somebody else changes the schedule all the time
    ├── LeaseLost               somebody else holds the job now, or it is finished: stop working on it
    ├── StoreError
    │   ├── StoreUnavailable    down, unreachable or too slow; nothing was written
    │   │   └── OutcomeUnknown  the connection broke after the write was sent: look before trying again
    │   ├── StoreAccessDenied   wrong credentials or missing rights
    │   └── SchemaMismatch      the store's schema does not fit this version of Dibs
    └── HandlerError            raised by handlers, to say how a failure is to be taken
        ├── Retryable
        └── Permanent

A message says what went wrong, with which value, and what to do next.
"""


class DibsError(Exception):
    """The root of the tree."""


class BadInput(DibsError, ValueError):
    """The caller gave something that cannot be stored or done. Nothing has changed."""


class PayloadTooLarge(BadInput):
    """An encoded payload is over the limit."""


class NotJson(BadInput):
    """A payload cannot be written as JSON."""


class UnknownBackend(BadInput):
    """A store URL names no backend that exists."""


class NotSupported(BadInput):
    """The backend cannot do this; `backend.capabilities` says so beforehand."""


class MissingExtra(DibsError, ImportError):
    """An optional package is needed and not installed."""


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


class HandlerError(DibsError):
    """Raised by a handler to say how its failure is to be taken."""


class Retryable(HandlerError):
    """Try again after a while; costs one retry."""


class Permanent(HandlerError):
    """Trying again is useless."""
