"""What is kept of an error, and how it is taken."""

import traceback
from enum import StrEnum

import msgspec

from dibs.errors import BadInput, Permanent, Retryable
from dibs.kit.text import cut_middle

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


def describe_error(error: BaseException, *, traceback_limit: int = TRACEBACK_LIMIT) -> ErrorInfo:
    """Keep an exception's type, message and traceback, each cut to a limit and safe to encode."""
    trace = "".join(traceback.format_exception(error))
    return ErrorInfo(
        type=_printable(type(error).__qualname__, MESSAGE_LIMIT),
        message=_printable(str(error), MESSAGE_LIMIT),
        traceback=_printable(trace, traceback_limit),
    )


def classify_error(error: BaseException) -> FailureKind:
    """Tell a passing fault from a lasting one.

    A handler's own word wins; faults of time and connection pass; refused input lasts; the rest is worth a retry.
    """
    if isinstance(error, Retryable):
        return FailureKind.TRANSIENT
    if isinstance(error, Permanent):
        return FailureKind.PERMANENT
    if isinstance(error, _TRANSIENT):
        return FailureKind.TRANSIENT
    return FailureKind.PERMANENT if isinstance(error, BadInput) else FailureKind.TRANSIENT


def quarantine_error(deaths: int) -> ErrorInfo:
    """Say why a job that keeps losing its workers is not given to another one."""
    message = f"{deaths} workers vanished while they ran this job. Look at its attempts, then retry it by hand."
    return ErrorInfo(type="WorkerLost", message=message)


def _printable(text: str, limit: int) -> str:
    # Lone surrogates cannot be encoded, and NUL is refused by PostgreSQL.
    clean = text.encode("utf-8", "replace").decode().replace("\x00", "�")
    return cut_middle(clean, limit)
