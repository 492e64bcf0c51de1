"""What is kept of an error, and how it is taken."""

import traceback
from enum import StrEnum

import msgspec
from msgspec.structs import replace

from dibs.errors import BadInput, FetchRefused, Permanent, Retryable
from dibs.kit.text import printable

MESSAGE_LIMIT = 2_000
TRACEBACK_LIMIT = 8_000
_TRANSIENT = (TimeoutError, ConnectionError, InterruptedError)


class ErrorInfo(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An error as the store keeps it."""

    type: str
    message: str = ""
    traceback: str = ""


class FailureKind(StrEnum):
    """What a failure costs: a retry, everything, or a worker's life."""

    TRANSIENT = "transient"
    PERMANENT = "permanent"
    CRASH = "crash"


class RemoteError(Exception):
    """An error that another process raised: described and judged as it was there."""

    def __init__(self, info: ErrorInfo, kind: FailureKind) -> None:
        # Not super(): a subclass that is also an OSError, say, would read these arguments as its own.
        Exception.__init__(self, info.message)
        self.info = info
        self.kind = kind
        self.add_note(info.traceback)

    def __str__(self) -> str:
        return self.info.message


def describe_error(error: BaseException, *, traceback_limit: int = TRACEBACK_LIMIT) -> ErrorInfo:
    """Keep an exception's type, message and traceback, each cut to a limit and safe to encode."""
    if isinstance(error, RemoteError):
        return replace(error.info, traceback=printable(error.info.traceback, traceback_limit))
    trace = "".join(traceback.format_exception(error))
    return ErrorInfo(
        type=printable(type(error).__qualname__, MESSAGE_LIMIT),
        message=printable(_read_message(error), MESSAGE_LIMIT),
        traceback=printable(trace, traceback_limit),
    )


def classify_error(error: BaseException) -> FailureKind:
    """Tell a passing fault from a lasting one.

    A handler's own word wins; faults of time and connection pass; refused input and refused ways out last; the rest is
    worth a retry.
    """
    if isinstance(error, Retryable):
        return FailureKind.TRANSIENT
    if isinstance(error, Permanent):
        return FailureKind.PERMANENT
    if isinstance(error, _TRANSIENT):
        return FailureKind.TRANSIENT
    return FailureKind.PERMANENT if isinstance(error, (BadInput, FetchRefused)) else FailureKind.TRANSIENT


def quarantine_error(deaths: int) -> ErrorInfo:
    """Say why a job that keeps losing its workers is not given to another one."""
    message = f"{deaths} workers vanished while they ran this job. Look at its attempts, then retry it by hand."
    return ErrorInfo(type="WorkerLost", message=message)


def _read_message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - a class whose message cannot be read must not hide the failure
        return "(its message cannot be read)"
